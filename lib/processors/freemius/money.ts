// The money facts in a licence's payments. At Freemius refunds and disputes are payments of their own.
import type { PaymentFact } from '../processor.ts'
import { minorUnits, type Payment, type Subscription } from './objects.ts'

const BACK: readonly Payment['type'][] = ['refund', 'lost_dispute', 'chargeback']
const DISPUTES: readonly Payment['type'][] = ['disputed', 'won_dispute', 'lost_dispute', 'chargeback']

const isSale = ({ type }: Pick<Payment, 'type'>) => type === 'payment'

/** Sorts by age, oldest first. */
export const byAge = <Each extends { id: string; created: Date }>(objects: Each[]): Each[] =>
  objects.toSorted((one, other) => one.created.getTime() - other.created.getTime() || Number(one.id) - Number(other.id))

/** The payments proper, oldest first. */
export const sales = (payments: Payment[]): Payment[] => byAge(payments.filter(isSale))

const taxIn = ({ vat, currency }: Payment): number => Math.abs(minorUnits(vat, currency))

/** The total of a payment for the buyer: the price and its tax. */
export const total = (payment: Payment): number =>
  Math.abs(minorUnits(payment.gross, payment.currency)) + taxIn(payment)

/** The payment that a refund or a dispute is about. A payment names only one of them; any others are found by subscription and time. */
function findOriginal(back: Payment, payments: Payment[]): Payment | undefined {
  const candidates = sales(payments)
  return (
    candidates.find(({ bound_payment_id }) => bound_payment_id === back.id) ??
    candidates.find(({ id }) => id === back.bound_payment_id) ??
    candidates.findLast(
      ({ subscription_id, created }) =>
        back.bound_payment_id == null && subscription_id === back.subscription_id && created <= back.created,
    )
  )
}

/** Whether a payment was returned to the buyer entirely. An open or won dispute returns nothing. */
export function isGivenBack(payment: Payment, payments: Payment[]): boolean {
  const given = payments.filter((each) => BACK.includes(each.type) && findOriginal(each, payments)?.id === payment.id)
  const back = given.reduce((sum, { gross }) => sum + Math.abs(gross ?? 0), 0)
  return given.length > 0 && back >= (payment.gross ?? 0)
}

/** The prices of a licence's subscriptions, oldest first, or its own. */
interface Prices {
  subscriptions: Subscription[]
  lifetimePrice: number | null
}

/**
 * What was taken off before a payment, without taxes. Undefined if it is not known: the first payment of a later subscription may also be
 * less a credit.
 */
function takenOff({ subscriptions, lifetimePrice }: Prices, payment: Payment): number | undefined {
  const { subscription_id: id, gross, currency, coupon_id, is_renewal } = payment
  const off = (price: number) => Math.max(0, price - minorUnits(gross, currency))
  if (id == null) return coupon_id == null ? 0 : lifetimePrice === null ? undefined : off(lifetimePrice)
  const index = subscriptions.findIndex((each) => each.id === id)
  const price = subscriptions[index]?.amount_per_cycle
  return price != null && (index === 0 || is_renewal) ? off(minorUnits(price, currency)) : undefined
}

/** All facts in the payments, each with the id of its payment. */
export function toFacts({ payments, ...prices }: Prices & { payments: Payment[] }): PaymentFact[] {
  const factAbout = (kind: PaymentFact['kind'], { id }: Payment, about: Payment, original: Payment | undefined) => {
    const { currency, created: occurredAt } = about
    return { kind, id, paymentId: original?.id ?? id, amount: total(about), currency, occurredAt }
  }
  return byAge(payments)
    .flatMap((payment): PaymentFact[] => {
      if (isSale(payment)) {
        const fact = factAbout('succeeded', payment, payment, payment)
        return [{ ...fact, tax: taxIn(payment), discount: takenOff(prices, payment) }]
      }
      const original = findOriginal(payment, payments)
      if (payment.type === 'refund') return [factAbout('refunded', payment, payment, original)]
      if (!DISPUTES.includes(payment.type)) return []
      // Whether a decided dispute is another payment, or the same with another type, is UNVERIFIED: it is treated as one.
      const first = byAge(payments).find(
        (each) => DISPUTES.includes(each.type) && findOriginal(each, payments)?.id === original?.id,
      )
      const dispute = first ?? payment
      return [
        ...(dispute === payment ? [factAbout('disputed', dispute, dispute, original)] : []),
        ...(BACK.includes(payment.type) ? [factAbout('dispute_lost', dispute, payment, original)] : []),
        ...(payment.type === 'won_dispute' ? [factAbout('dispute_won', dispute, payment, original)] : []),
      ]
    })
    .filter(({ amount }) => amount > 0)
}
