import type * as z from 'zod'
import { log } from '../../http/log.ts'
import type { Interval } from '../processor.ts'
import { type MollieApi, MollieRefusal } from './api.ts'
import { dateOf, dateText, daysLater, later } from './dates.ts'
import { type FirstSale, type Payment, Payments, Renewal, Subscription, Subscriptions } from './objects.ts'

/** More than a customer has subscriptions, and more charges than are looked at: as many as a page of Mollie's holds. */
const PAGE = '?limit=250'

/** For so long a repeated call has no second effect, and a refusal is not asked about again. Milliseconds. */
const KEY_PERIOD_MS = 10 * 60_000

/** The first date on which a subscription may be charged: none that begins before what was paid for, or tried, is over. */
export function firstChargeOf(payment: Payment, { interval, interval_count, trial_days }: FirstSale): Date {
  const begunAt = payment.paidAt ?? payment.createdAt
  const paidUntil = trial_days > 0 ? daysLater(begunAt, trial_days) : later(begunAt, interval, interval_count)
  return daysLater(dateOf(paidUntil), 1)
}

/**
 * The subscription that a first payment began; null if there is none. Should several callers have made one each at the
 * same moment, the oldest counts, and the others are ended before they charge.
 */
export async function findSubscription(api: MollieApi, payment: Payment): Promise<Subscription | null> {
  const [oldest, ...others] = (await listSubscriptions(api, customerOf(payment)))
    .filter(({ metadata }) => Renewal.safeParse(metadata).data?.first_payment === payment.id)
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1))
  for (const other of others) if (!hasEnded(other)) await endSubscription(api, other)
  return oldest ?? null
}

/**
 * Makes the subscription that a paid first payment begins. Null if Mollie refuses it, as it does while the customer's
 * mandate is not there yet: what is paid is paid, and the next look tries again. Whoever comes second at the same moment
 * is stopped by the key, or by the description, which Mollie takes once among a customer's running subscriptions.
 *
 * @throws ProcessorError unavailable, misconfigured
 */
export async function makeSubscription(
  api: MollieApi,
  payment: Payment,
  sale: FirstSale,
): Promise<Subscription | null> {
  const key = `${payment.id}:subscription:${Math.floor(Date.now() / KEY_PERIOD_MS)}`
  try {
    const path = `/customers/${encodeURIComponent(customerOf(payment))}/subscriptions`
    return Subscription.parse(await api.post(path, subscriptionFor(payment, sale), key))
  } catch (error) {
    if (!(error instanceof MollieRefusal && error.kind === 'rejected')) throw error
    const made = await findSubscription(api, payment)
    if (!made) log('warn', 'a paid first payment has no subscription yet', { payment: payment.id, cause: error })
    return made
  }
}

/** Ends a subscription; gives it as it is then. One that has ended stays as it is. */
export async function endSubscription(api: MollieApi, subscription: Subscription): Promise<Subscription> {
  try {
    return Subscription.parse(await api.delete(pathOf(subscription)))
  } catch (error) {
    // What has ended cannot be ended again: no harm if somebody else was faster.
    if (!(error instanceof MollieRefusal && error.kind === 'rejected')) throw error
    const current = Subscription.parse(await api.get(pathOf(subscription)))
    if (!hasEnded(current)) throw error
    return current
  }
}

export const hasEnded = ({ status }: Subscription) => status === 'canceled' || status === 'completed'

/** What a subscription has been charged so far, the latest first. */
export async function readCharges(api: MollieApi, subscription: Subscription): Promise<Payment[]> {
  const { _embedded } = Payments.parse(await api.get(`${pathOf(subscription)}/payments${PAGE}`))
  return _embedded.payments.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

/** A customer that is not there has no list: that is no empty one, since Mollie says so of new customers at times. */
async function listSubscriptions(api: MollieApi, customer: string): Promise<Subscription[]> {
  const reply = await api.get(`/customers/${encodeURIComponent(customer)}/subscriptions${PAGE}`)
  return Subscriptions.parse(reply)._embedded.subscriptions
}

function subscriptionFor(payment: Payment, sale: FirstSale) {
  const { checkout_id, paywall_id, user_id, interval, interval_count, renewal } = sale
  const metadata: z.input<typeof Renewal> = { checkout_id, paywall_id, user_id, first_payment: payment.id }
  const today = dateOf(new Date())
  const first = firstChargeOf(payment, sale)
  return {
    amount: renewal,
    interval: intervalText(interval, interval_count),
    // We may learn of the payment on the very last day of what it paid for: Mollie refuses a date that is over.
    startDate: dateText(new Date(Math.max(first.getTime(), today.getTime()))),
    description: `${payment.description.slice(0, 240)} ${checkout_id.slice(0, 8)}`,
    // Not any later mandate of the same customer: a card that is given for something else is not to pay for this.
    ...(payment.mandateId && { mandateId: payment.mandateId }),
    metadata,
  }
}

/** Mollie counts in days, weeks and months, up to a year. */
function intervalText(interval: Interval, count: number): string {
  const [unit, units] = interval === 'year' ? ['month', 12 * count] : [interval, count]
  return `${units} ${unit}${units === 1 ? '' : 's'}`
}

function customerOf({ id, customerId }: Payment): string {
  if (!customerId) throw new Error(`Mollie's first payment ${id} has no customer`)
  return customerId
}

const pathOf = ({ customerId, id }: Subscription) =>
  `/customers/${encodeURIComponent(customerId)}/subscriptions/${encodeURIComponent(id)}`
