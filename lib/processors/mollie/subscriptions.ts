// A subscription at Mollie: created once its first payment is paid, found again by that payment's id in its metadata, charged by Mollie,
// and ended by us. Several callers may create or end the same one concurrently.
import type * as z from 'zod'
import { log } from '../../log/log.ts'
import { ProcessorError, UnexpectedReply } from '../processor.ts'
import { type MollieApi, MollieApiError, parse } from './api.ts'
import { amsterdamDate, dateText, firstChargeDate, intervalText } from './dates.ts'
import { type FirstSale, type Payment, Payments, Renewal, Subscription, Subscriptions } from './objects.ts'
import { hasEnded } from './translate.ts'

/** Mollie's maximum page size. No customer has more subscriptions, and older charges do not matter. */
const PAGE = '?limit=250'

/**
 * How long calls use the same idempotency key, in milliseconds. Within it a retry creates no second subscription, and a refusal is replayed
 * without another check.
 */
const KEY_PERIOD_MS = 10 * 60_000

/**
 * The subscriptions that were created for a first payment, oldest first. Throws if Mollie does not find the customer, which may happen for
 * a moment after its creation, so that does not mean an empty list.
 */
export async function listSubscriptions(api: MollieApi, payment: Payment): Promise<Subscription[]> {
  const reply = await api.get(`/customers/${encodeURIComponent(requireCustomer(payment))}/subscriptions${PAGE}`)
  return parse(Subscriptions, reply)
    ._embedded.subscriptions.filter(({ metadata }) => Renewal.safeParse(metadata).data?.first_payment === payment.id)
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1))
}

/** The payments of a subscription so far, latest first. */
export async function listCharges(api: MollieApi, subscription: Subscription): Promise<Payment[]> {
  const { _embedded } = parse(Payments, await api.get(`${subscriptionPath(subscription)}/payments${PAGE}`))
  return _embedded.payments.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

/**
 * Creates the subscription of a paid first payment. Mollie may refuse, for example while the customer's mandate is not valid yet: the buyer
 * keeps what was paid for, and the next fetch retries. Of two concurrent callers the second is stopped by the idempotency key, or by the
 * description, because Mollie refuses one that another active subscription of the customer has.
 *
 * @throws ProcessorError unavailable, misconfigured
 */
export async function makeSubscription(
  api: MollieApi,
  payment: Payment,
  sale: FirstSale,
  { now, webhookUrl }: { now: Date; webhookUrl: string | null },
): Promise<void> {
  const key = `${payment.id}:subscription:${Math.floor(now.getTime() / KEY_PERIOD_MS)}`
  const path = `/customers/${encodeURIComponent(requireCustomer(payment))}/subscriptions`
  const body = { ...subscriptionFor(payment, sale, now), ...(webhookUrl !== null && { webhookUrl }) }
  try {
    await api.post(path, body, key).catch((error) => {
      if (!(error instanceof MollieApiError && error.status >= 500)) throw error
      // Mollie replays its own error as long as the key is the same. If it created the subscription, its description is taken.
      return api.post(path, body, `${key}:${now.getTime()}`)
    })
  } catch (cause) {
    if (!(cause instanceof MollieApiError && cause.kind === 'rejected')) throw cause
    log('warn', 'Mollie subscription not created after its first payment', { payment: payment.id, cause })
  }
}

/**
 * Ends a subscription. Does nothing if it has ended. Throws unless the reply or a read shows the end: Mollie may answer a 204, and refuses to
 * end a subscription twice, as when a concurrent caller was first.
 */
export async function endSubscription(api: MollieApi, subscription: Subscription): Promise<void> {
  const path = subscriptionPath(subscription)
  let refused: unknown = null
  try {
    const ended = Subscription.safeParse(await api.delete(path))
    if (ended.success && hasEnded(ended.data)) return
  } catch (error) {
    if (!(error instanceof MollieApiError && error.kind === 'rejected')) throw error
    refused = error
  }
  if (hasEnded(parse(Subscription, await api.get(path)))) return
  throw refused ?? new ProcessorError('mollie', 'unavailable', 'the subscription has not ended', { answered: true })
}

function subscriptionFor(payment: Payment, sale: FirstSale, now: Date) {
  const { checkout_id, paywall_id, user_id, interval, interval_count, renewal } = sale
  const metadata: z.input<typeof Renewal> = { checkout_id, paywall_id, user_id, first_payment: payment.id }
  const first = firstChargeDate(payment, sale)
  return {
    amount: renewal,
    interval: intervalText(interval, interval_count),
    // Mollie refuses a start date in the past, and the payment may be reported so late that its date has passed.
    startDate: dateText(new Date(Math.max(first.getTime(), amsterdamDate(now).getTime()))),
    description: `${payment.description.slice(0, 240)} ${checkout_id.slice(0, 8)}`,
    // Uses the mandate of this payment, because a card that the customer gave for something else must not be charged.
    ...(payment.mandateId && { mandateId: payment.mandateId }),
    metadata,
  }
}

function requireCustomer({ id, customerId }: Payment): string {
  if (!customerId) throw new UnexpectedReply('mollie', `the customer of ${id}`)
  return customerId
}

const subscriptionPath = ({ customerId, id }: Subscription) =>
  `/customers/${encodeURIComponent(customerId)}/subscriptions/${encodeURIComponent(id)}`
