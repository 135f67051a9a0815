import type * as z from 'zod'
import type { Interval } from '../processor.ts'
import { type MollieApi, MollieRefusal } from './api.ts'
import { FirstSale, type Payment, Payments, type RecurringSale, Sale, Subscription, Subscriptions } from './objects.ts'
import { dateText, daysLater, later } from './periods.ts'

/** More than a customer has subscriptions, and more charges than are looked at: as many as a page of Mollie's holds. */
const PAGE = '?limit=250'

/**
 * The subscription that a paid first payment begins, made now if nobody has yet. Whoever learns of the payment comes
 * here, several perhaps at the same moment: Mollie takes a description once among a customer's running subscriptions, so
 * that one of them makes it and the others find it.
 *
 * @throws ProcessorError also while the customer's mandate is not there yet: try again
 */
export async function subscriptionBegunBy(api: MollieApi, payment: Payment): Promise<Subscription> {
  const customer = payment.customerId
  if (!customer) throw new Error(`Mollie's first payment ${payment.id} has no customer`)
  const sale = FirstSale.parse(payment.metadata)
  const made = await findSubscription(api, customer, sale.checkout_id)
  if (made) return made
  try {
    const body = subscriptionFor(payment, sale)
    return Subscription.parse(await api.post(`/customers/${encodeURIComponent(customer)}/subscriptions`, body))
  } catch (error) {
    const other = error instanceof MollieRefusal && (await findSubscription(api, customer, sale.checkout_id))
    if (!other) throw error
    return other
  }
}

export async function readSubscription(api: MollieApi, customer: string, id: string): Promise<Subscription> {
  return Subscription.parse(await api.get(pathOf(customer, id)))
}

/** Ends a subscription; one that has ended stays as it is. */
export async function endSubscription(api: MollieApi, customer: string, id: string): Promise<void> {
  try {
    await api.delete(pathOf(customer, id))
  } catch (error) {
    // What has ended cannot be ended again: no harm if it was this very call, repeated.
    if (!(error instanceof MollieRefusal && error.kind === 'rejected')) throw error
    const { status } = await readSubscription(api, customer, id)
    if (status !== 'canceled' && status !== 'completed') throw error
  }
}

/** What a subscription has been charged so far, the latest first. */
export async function readCharges(api: MollieApi, { customerId, id }: Subscription): Promise<Payment[]> {
  const { _embedded } = Payments.parse(await api.get(`${pathOf(customerId, id)}/payments${PAGE}`))
  return _embedded.payments.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

async function findSubscription(api: MollieApi, customer: string, checkoutId: string) {
  const reply = await api.get(`/customers/${encodeURIComponent(customer)}/subscriptions${PAGE}`)
  return Subscriptions.parse(reply)._embedded.subscriptions.find(
    ({ metadata }) => Sale.safeParse(metadata).data?.checkout_id === checkoutId,
  )
}

function subscriptionFor(payment: Payment, { renewal, ...sale }: z.output<typeof FirstSale>) {
  const begunAt = payment.paidAt ?? payment.createdAt
  const { interval, interval_count: count, trial_days: trialDays } = sale
  const start = trialDays > 0 ? daysLater(begunAt, trialDays) : later(begunAt, interval, count)
  const metadata: z.input<typeof RecurringSale> = sale
  return {
    amount: renewal,
    interval: intervalText(interval, count),
    // A date that is over, since we learnt of the payment so late, would be refused.
    startDate: dateText(new Date(Math.max(start.getTime(), Date.now()))),
    description: `${payment.description.slice(0, 240)} ${sale.checkout_id.slice(0, 8)}`,
    metadata,
  }
}

/** Mollie counts in days, weeks and months, up to a year. */
function intervalText(interval: Interval, count: number): string {
  const [unit, units] = interval === 'year' ? ['month', 12 * count] : [interval, count]
  return `${units} ${unit}${units === 1 ? '' : 's'}`
}

const pathOf = (customer: string, id: string) =>
  `/customers/${encodeURIComponent(customer)}/subscriptions/${encodeURIComponent(id)}`
