// A subscription at Mollie: created once its first payment is paid, found again by that payment's id in its metadata, charged by Mollie,
// and ended by us. Several callers may create or end the same one concurrently.
import type * as z from 'zod'
import { log } from '../../log/log.ts'
import { ProcessorError, UnexpectedReply } from '../processor.ts'
import { type MollieApi, MollieApiError, parse } from './api.ts'
import { amsterdamDate, dateText, firstChargeDate } from './dates.ts'
import {
  Difference,
  type FirstSale,
  type Payment,
  Payments,
  type Renewal,
  readRenewal,
  Subscription,
  Subscriptions,
  type Terms,
} from './objects.ts'
import {
  chargedTerms,
  isSameAmount,
  isSameTerms,
  type Move,
  nextTerms,
  paidAt,
  readChange,
  soldPlan,
  toTotal,
  toUnits,
  withoutPlan,
  writeAmount,
  writeRenewal,
} from './plan.ts'
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
    ._embedded.subscriptions.filter(({ metadata }) => readRenewal(metadata)?.first_payment === payment.id)
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1))
}

/**
 * The charges of a subscription so far, and the payments of differences, which belong to no subscription; both latest first. Mollie lists
 * all of a customer's payments together.
 */
export async function listPayments(
  api: MollieApi,
  payment: Payment,
  subscription: Subscription,
): Promise<{ charges: Payment[]; differences: Payment[] }> {
  const path = `/customers/${encodeURIComponent(requireCustomer(payment))}/payments${PAGE}`
  const { _embedded } = parse(Payments, await api.get(path))
  const payments = _embedded.payments.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
  return {
    charges: payments.filter(({ subscriptionId }) => subscriptionId === subscription.id),
    differences: payments.filter(({ metadata }) => Difference.safeParse(metadata).data?.first_payment === payment.id),
  }
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

/** What a subscription charges from now on. `product`: what the buyer reads on bank statements. */
export interface PlanUpdate {
  terms: Terms
  product?: string
  metadata: Renewal
  startDate?: Date | undefined
  mandateId?: string | undefined
}

/** Changes a subscription by one call, its metadata included, so that a crash leaves nothing halfway. */
export async function updatePlan(
  api: MollieApi,
  subscription: Subscription,
  { terms, product, metadata, startDate, mandateId }: PlanUpdate,
): Promise<void> {
  const reply = await api.patch(subscriptionPath(subscription), {
    amount: writeAmount(toTotal(terms)),
    interval: terms.interval,
    ...(product !== undefined && { description: describe(product, metadata.checkout_id) }),
    ...(startDate && { startDate: dateText(startDate) }),
    ...(mandateId && { mandateId }),
    metadata: writeRenewal({ ...metadata, ...toUnits(terms) }),
  })
  if (isSameTerms(chargedTerms(parse(Subscription, reply)), terms)) return
  throw new ProcessorError('mollie', 'unavailable', 'the plan is unchanged', { answered: true })
}

/**
 * Changes the plan for which a difference was paid. On a page, that payment has also given a new mandate. If Mollie refuses, as when the
 * subscription was cancelled meanwhile, the payment is returned.
 */
export async function settleDifference(
  api: MollieApi,
  subscription: Subscription,
  difference: Payment,
  { startDate, countsFrom }: Move,
): Promise<void> {
  const { to } = readChange(difference)
  const at = paidAt(difference)
  const metadata = {
    ...withoutPlan(subscription),
    ...(countsFrom && { counted_from: countsFrom }),
    changed: { at, to, payment: difference.id },
    settled: { payment: difference.id, paid_at: at },
  }
  const mandateId = difference.sequenceType === 'first' ? (difference.mandateId ?? undefined) : undefined
  try {
    await updatePlan(api, subscription, { terms: to, product: difference.description, metadata, startDate, mandateId })
  } catch (cause) {
    if (!(cause instanceof MollieApiError && cause.kind === 'rejected')) throw cause
    log('warn', 'Mollie plan not changed after its difference was paid', { payment: difference.id, cause })
    await refundDifference(api, difference)
  }
}

/** Returns a difference that can change no plan any more. Mollie may refuse, as when the account has too little money. */
export async function refundDifference(api: MollieApi, { id, amount }: Payment): Promise<void> {
  const body = { amount: writeAmount(amount) }
  try {
    await api.post(`/payments/${encodeURIComponent(id)}/refunds`, body, `${id}:refund`)
  } catch (cause) {
    if (!(cause instanceof MollieApiError && cause.kind === 'rejected')) throw cause
    log('error', 'Mollie difference not refunded: its plan was not changed', { payment: id, cause })
  }
}

/** After the first charge of a scheduled change. Mollie counts the interval from that charge. */
export async function setInterval(
  api: MollieApi,
  subscription: Subscription,
  { interval, countsFrom }: { interval: string; countsFrom: Date },
): Promise<void> {
  const terms = { ...chargedTerms(subscription), interval }
  await updatePlan(api, subscription, { terms, metadata: { ...withoutPlan(subscription), counted_from: countsFrom } })
}

/**
 * After the last charge that an offer reduces. The subscription is read once more: if it has changed, as by a change of plan, the next read
 * decides. A change that comes after this read loses its amount, but not its metadata, from which the next read restores the amount
 * (`overwrittenTerms`), again by this call. If Mollie refuses, the next read retries.
 */
export async function endReduction(api: MollieApi, subscription: Subscription, terms: Terms): Promise<void> {
  const path = subscriptionPath(subscription)
  const before = parse(Subscription, await api.get(path))
  if (JSON.stringify(before) !== JSON.stringify(subscription)) return
  try {
    const { amount } = parse(Subscription, await api.patch(path, { amount: writeAmount(toTotal(terms)) }))
    if (isSameAmount(amount, toTotal(terms))) return
  } catch (cause) {
    if (!(cause instanceof MollieApiError && cause.kind === 'rejected')) throw cause
    log('error', 'Mollie subscription still reduced after its offer', { subscription: subscription.id, cause })
    return
  }
  throw new ProcessorError('mollie', 'unavailable', 'the amount is unchanged', { answered: true })
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

/** Mollie refuses a description that another active subscription of the customer has. */
const describe = (product: string, checkoutId: string) => `${product.slice(0, 240)} ${checkoutId.slice(0, 8)}`

function subscriptionFor(payment: Payment, sale: FirstSale, now: Date) {
  const { checkout_id, paywall_id, user_id, reduction, renewal, quantity } = sale
  const metadata: z.input<typeof Renewal> = {
    checkout_id,
    paywall_id,
    user_id,
    first_payment: payment.id,
    ...(reduction && { reduction }),
    ...(quantity > 1 && { units: { value: renewal.value, quantity } }),
  }
  const first = firstChargeDate(payment, sale)
  const terms = nextTerms(soldPlan(sale), [])
  return {
    amount: writeAmount(toTotal(terms)),
    interval: terms.interval,
    // Mollie refuses a start date in the past, and the payment may be reported so late that its date has passed.
    startDate: dateText(new Date(Math.max(first.getTime(), amsterdamDate(now).getTime()))),
    description: describe(payment.description, checkout_id),
    // Uses the mandate of this payment, because a card that the customer gave for something else must not be charged.
    ...(payment.mandateId && { mandateId: payment.mandateId }),
    metadata,
  }
}

export function requireCustomer({ id, customerId }: Payment): string {
  if (!customerId) throw new UnexpectedReply('mollie', `the customer of ${id}`)
  return customerId
}

export const subscriptionPath = ({ customerId, id }: Subscription) =>
  `/customers/${encodeURIComponent(customerId)}/subscriptions/${encodeURIComponent(id)}`
