import * as z from 'zod'
import { addDays } from '../../dev/emulators/mollie/dates.ts'
import type { Person } from './person.ts'
import type { Sale, Truth } from './sales.ts'

const Metadata = z.looseObject({
  paywall_id: z.string(),
  checkout_id: z.string(),
  first_payment: z.string().optional(),
  trial_days: z.int().optional(),
})
const Amount = z.object({ value: z.string() })

export const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  method: z.string().nullable(),
  sequenceType: z.string(),
  amount: Amount,
  amountRefunded: Amount.nullish(),
  amountChargedBack: Amount.nullish(),
  subscriptionId: z.string().nullish(),
  createdAt: z.string(),
  metadata: Metadata,
})
export type Payment = z.output<typeof Payment>

export const Subscription = z.looseObject({
  id: z.string(),
  status: z.string(),
  nextPaymentDate: z.string().nullish(),
  metadata: Metadata,
})
export type Subscription = z.output<typeof Subscription>

const isOf = (paywallId: string) => (each: unknown) =>
  z.object({ metadata: Metadata }).safeParse(each).data?.metadata.paywall_id === paywallId

/** The oldest first. */
export const molliePayments = ({ world }: Person): Payment[] =>
  world.mollie.payments.filter(isOf(world.paywall.id)).map((each) => Payment.parse(each))

export const mollieSubscriptions = ({ world }: Person): Subscription[] =>
  world.mollie.subscriptions.filter(isOf(world.paywall.id)).map((each) => Subscription.parse(each))

export function mollieTruth(person: Person): Truth {
  const payments = molliePayments(person)
  const subscriptions = mollieSubscriptions(person)
  const pages = payments.filter(({ sequenceType }) => sequenceType !== 'recurring')
  const priced = payments.filter(({ amount }) => Number(amount.value) > 0)
  const reversals = person.world.mollie.events.filter(({ _embedded: { entity } }) =>
    payments.some(({ id }) => id === entity.paymentId),
  )
  const counted = (type: string) => reversals.filter((event) => event.type === type).length
  return {
    sales: pages.filter(isSold).map((page) => saleOf(page, payments, subscriptions)),
    opened: pages.map(({ metadata }) => metadata.checkout_id),
    paid: pages.filter(isSold).map(({ metadata }) => metadata.checkout_id),
    payments: {
      succeeded: priced.filter(({ status }) => status === 'paid').length,
      failed: priced.filter(({ status }) => status === 'failed').length,
      refunded: counted('refund.refunded'),
      disputed: counted('chargeback.received'),
    },
  }
}

/** A payment whose bank has decided against it, or whose page was left, sold nothing. */
const isSold = ({ status, method }: Payment) =>
  status === 'paid' || status === 'pending' || (status === 'open' && method === 'banktransfer')

function saleOf(page: Payment, payments: Payment[], subscriptions: Subscription[]): Sale {
  const begun = page.status === 'paid'
  const sale = {
    processorId: page.id,
    begun,
    isSubscription: page.sequenceType === 'first',
    renews: false,
    periodEnd: null,
  }
  if (!begun) return { ...sale, status: 'pending', covered: 0 }
  if (!sale.isSubscription) return { ...sale, status: isGivenBack(page) ? 'refunded' : 'active', covered: 1 }
  const subscription = subscriptions.find(({ metadata }) => metadata.first_payment === page.id)
  const charges = payments.filter(({ subscriptionId }) => subscriptionId && subscriptionId === subscription?.id)
  const decided = charges.filter(({ status }) => status !== 'pending').at(-1)
  const renews = subscription?.status === 'active' || subscription?.status === 'suspended'
  const isOwed = decided?.status === 'failed' && renews
  const running = (page.metadata.trial_days ?? 0) > 0 && charges.length === 0 ? 'trialing' : 'active'
  const next = subscription?.status === 'active' ? subscription.nextPaymentDate : null
  return {
    ...sale,
    status: !subscription && isGivenBack(page) ? 'canceled' : isOwed ? 'past_due' : running,
    renews,
    // A period lasts to the end of the day of the next charge.
    periodEnd: next ? addDays(next, 1) : null,
    covered: 1 + charges.filter(({ status }) => status === 'paid').length,
  }
}

function isGivenBack({ amount, amountRefunded, amountChargedBack }: Payment): boolean {
  const back = Number(amountRefunded?.value ?? 0) + Number(amountChargedBack?.value ?? 0)
  return Number(amount.value) > 0 && back >= Number(amount.value)
}
