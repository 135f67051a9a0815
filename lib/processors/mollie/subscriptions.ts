// A subscription at Mollie: it is made once its first payment is paid, found again by that payment's id in its metadata,
// charged by Mollie, and ended by us. Several callers may make or end the same one at the same time.
import type * as z from 'zod'
import { log } from '../../http/log.ts'
import type { Interval } from '../processor.ts'
import { type MollieApi, MollieApiError } from './api.ts'
import { dateOf, dateText, daysLater, later } from './dates.ts'
import { type FirstSale, type Payment, Payments, Renewal, Subscription, Subscriptions } from './objects.ts'

/** The longest page that Mollie has. No customer has more subscriptions, and older charges do not matter. */
const PAGE = '?limit=250'

/**
 * How long calls use the same idempotency key, in milliseconds. Until then a repeat makes no second subscription, and a
 * refusal is repeated without being looked at again.
 */
const KEY_PERIOD_MS = 10 * 60_000

/** The first date on which the subscription may be charged: the day after the first period, or the trial, has ended. */
export function firstChargeOf(payment: Payment, { interval, interval_count, trial_days }: FirstSale): Date {
  const begunAt = payment.paidAt ?? payment.createdAt
  const coveredUntil = trial_days > 0 ? daysLater(begunAt, trial_days) : later(begunAt, interval, interval_count)
  return daysLater(dateOf(coveredUntil), 1)
}

/**
 * The subscription that was made after a first payment; null if there is none. If several callers have made one each at
 * the same time, the oldest counts, and the others are ended before they charge.
 */
export async function findSubscription(api: MollieApi, payment: Payment): Promise<Subscription | null> {
  const [oldest, ...others] = (await listSubscriptions(api, customerOf(payment)))
    .filter(({ metadata }) => Renewal.safeParse(metadata).data?.first_payment === payment.id)
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1))
  for (const other of others) if (!hasEnded(other)) await endSubscription(api, other)
  return oldest ?? null
}

/**
 * Makes the subscription after a first payment was paid. Null if Mollie refuses, as it does while the customer's
 * mandate is not valid yet: the buyer keeps what was paid for, and the next fetch tries again. If two callers come at
 * the same time, the second is stopped by the idempotency key, or by the description, because Mollie refuses one that
 * another active subscription of the customer has.
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
    if (!(error instanceof MollieApiError && error.kind === 'rejected')) throw error
    const made = await findSubscription(api, payment)
    if (!made) log('warn', 'a paid first payment has no subscription yet', { payment: payment.id, cause: error })
    return made
  }
}

/** Ends a subscription, and returns it as it is then. One that has ended stays as it is. */
export async function endSubscription(api: MollieApi, subscription: Subscription): Promise<Subscription> {
  try {
    return Subscription.parse(await api.delete(pathOf(subscription)))
  } catch (error) {
    // Mollie refuses to end a subscription twice. If another caller was faster, that is not an error.
    if (!(error instanceof MollieApiError && error.kind === 'rejected')) throw error
    const current = Subscription.parse(await api.get(pathOf(subscription)))
    if (!hasEnded(current)) throw error
    return current
  }
}

export const hasEnded = ({ status }: Subscription) => status === 'canceled' || status === 'completed'

/** The payments that a subscription has made so far, the latest first. */
export async function readCharges(api: MollieApi, subscription: Subscription): Promise<Payment[]> {
  const { _embedded } = Payments.parse(await api.get(`${pathOf(subscription)}/payments${PAGE}`))
  return _embedded.payments.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

/**
 * Throws if Mollie does not find the customer: it may do so for a moment after making one, so that is not an empty
 * list.
 */
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
    // Mollie refuses a start date in the past, and we may hear of the payment so late that its date is over.
    startDate: dateText(new Date(Math.max(first.getTime(), today.getTime()))),
    description: `${payment.description.slice(0, 240)} ${checkout_id.slice(0, 8)}`,
    // Names the mandate of this payment, because a card that the customer gave for something else must not be charged.
    ...(payment.mandateId && { mandateId: payment.mandateId }),
    metadata,
  }
}

/** Mollie has no years, and no interval longer than a year. */
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
