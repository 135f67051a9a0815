// Translates Freemius' objects to a purchase. The licence is the purchase: it gives access, and its subscriptions may change. One without a
// subscription is a lifetime (one-time) purchase. Nothing is fetched here.
import { type Cancellation, ONE_TIME, type PurchaseSnapshot, type PurchaseStatus } from '../processor.ts'
import { byAge, isGivenBack, sales, total } from './money.ts'
import { type BillingCycle, type License, minorUnits, type Payment, type Subscription } from './objects.ts'

const DAY_MS = 86_400_000

/** Everything that Freemius has about a purchase. */
export interface Observed {
  license: License
  /** The licence's latest subscription; null if there is none. */
  subscription: Subscription | null
  /** All of the licence's subscriptions, oldest first: each change of plan or card creates a new one. */
  subscriptions: Subscription[]
  /** The licence's payments, including refunds and disputes, in any order. */
  payments: Payment[]
  /** The price of a lifetime licence that was sold with a coupon, in minor units; null if it has none, or the price is not known. */
  lifetimePrice: number | null
  email: string | null
}

/** Null if the licence was not bought: the owner gave it away, or it is a trial without a payment method. */
export function toSnapshot(observed: Observed, now: Date): PurchaseSnapshot | null {
  const { license, subscription, subscriptions, payments, email } = observed
  const first = subscriptions[0] ?? null
  const common = {
    processorId: license.id,
    checkoutId: null,
    soldAs: soldAs(license, first),
    processorPrice: joinPrice(license, subscription),
    startedAt: license.created,
    charged: chargedAtFirst(first, payments),
    priceCovered: isPriceCovered(observed),
    changedInPeriod: isChangePaid(observed),
    scheduledChange: null,
    versions: {},
    customer: license.user_id ?? null,
    buyerEmail: email,
  }
  if (subscription) return { ...common, ...recurring(license, subscription, observed, now) }
  const payment = sales(payments).at(-1)
  return payment ? { ...common, ...oneTime(license, payment, payments) } : null
}

/** A licence's subscriptions, oldest first. */
export const licenseSubscriptions = ({ id }: License, subscriptions: Subscription[]): Subscription[] =>
  byAge(subscriptions.filter(({ license_id }) => license_id === id))

/** What was originally sold: `first` is the licence's first subscription. The licence itself has the current plan. */
export function soldAs(license: License, first: Subscription | null) {
  const { plan_id, pricing_id } = first?.pricing_id ? first : license
  const interval = first && toInterval(first.billing_cycle)
  return { processorPrice: `${plan_id}:${pricing_id}`, interval } as const
}

/** The licence's current price. If it has no pricing, that of its subscription is used. */
const joinPrice = ({ plan_id, pricing_id }: License, subscription: Subscription | null) =>
  `${plan_id}:${pricing_id ?? subscription?.pricing_id ?? ''}`

/** The amount of the first payment; 0 for a trial. Null if nothing was paid yet. */
function chargedAtFirst(subscription: Subscription | null, payments: Payment[]): number | null {
  if (subscription?.trial_ends) return 0
  const [first] = sales(payments)
  if (first) return total(first)
  return subscription?.initial_amount === 0 ? 0 : null
}

/**
 * Whether the last payment was for the licence's current price, including its billing cycle, since all cycles of a pricing share a name.
 * The owner may change a licence's plan by hand, while its subscription continues unchanged: then the subscription's charges pay for it.
 */
export function isPriceCovered({ license, subscription, subscriptions, payments }: Observed): boolean {
  const paid = sales(payments).at(-1)
  if (!paid?.pricing_id) return true
  const price = joinPrice(license, subscription)
  if (`${paid.plan_id}:${paid.pricing_id}` === price) {
    const paidBy = subscriptions.find(({ id }) => id === paid.subscription_id)
    return !paidBy || paidBy.billing_cycle === subscription?.billing_cycle
  }
  return subscription?.pricing_id != null && `${subscription.plan_id}:${subscription.pricing_id}` !== price
}

/** Whether the last payment was for a change of plan. Each starts a period at once with a new subscription, and may cost nothing. */
function isChangePaid({ subscriptions, payments }: Observed): boolean {
  const [before, paid] = sales(payments).slice(-2)
  const soldWith = (payment?: Payment) => subscriptions.find(({ id }) => id === payment?.subscription_id)
  const old = soldWith(before)
  const now = soldWith(paid)
  if (paid?.is_renewal !== false || !old || !now) return false
  return old.plan_id !== now.plan_id || old.pricing_id !== now.pricing_id || old.billing_cycle !== now.billing_cycle
}

/** The state of a cancelled subscription, from its licence. */
export function toCancellation(license: License, subscription: Subscription, now: Date): Cancellation {
  const status = toStatus(license, subscription, true, now)
  const end = periodEnd(license, subscription)
  const cancelAtPeriodEnd = status !== 'canceled' && subscription.canceled_at != null
  return {
    status,
    cancelAtPeriodEnd,
    cancelAt: cancelAtPeriodEnd ? end : null,
    canceledAt: subscription.canceled_at ?? null,
  }
}

/** Null for a one-time price. */
export const toInterval = (cycle: BillingCycle) => (cycle === 0 ? null : cycle === 1 ? 'month' : 'year')

type Common =
  | 'processorId'
  | 'checkoutId'
  | 'soldAs'
  | 'processorPrice'
  | 'startedAt'
  | 'charged'
  | 'priceCovered'
  | 'changedInPeriod'
  | 'scheduledChange'
  | 'versions'
  | 'customer'
  | 'buyerEmail'
type Facts = Omit<PurchaseSnapshot, Common>

/** Freemius returns the end of a period, but not its start, which is that of its payment or of the trial. */
function recurring(
  license: License,
  subscription: Subscription,
  { subscriptions, payments }: Observed,
  now: Date,
): Facts {
  const { billing_cycle, currency, amount_per_cycle, renewal_amount, canceled_at } = subscription
  const sold = sales(payments)
  const paid = sold.at(-1)
  const begun = isBegun(subscription, paid)
  const end = periodEnd(license, subscription)
  const cancels = begun && canceled_at != null
  return {
    status: toStatus(license, subscription, begun, now),
    begun,
    // A licence is extended only once the next period is paid. After a trial the first payment is still due.
    periodCovered: begun && !unpaidTrialEnd(subscription, paid, now),
    interval: toInterval(billing_cycle),
    intervalCount: billing_cycle === 0 ? null : 1,
    unitAmount: minorUnits(amount_per_cycle ?? renewal_amount, currency),
    quantity: 1,
    currency,
    currentPeriodStart: begun ? periodStart(subscription, sold, now) : null,
    currentPeriodEnd: begun ? end : null,
    ...toTrial(subscriptions, subscription),
    cancelAtPeriodEnd: cancels,
    cancelAt: cancels ? end : null,
    canceledAt: canceled_at ?? null,
  }
}

/** The licence's trial. A change of plan ends it if the new subscription, the `current` one, has none. */
function toTrial(subscriptions: Subscription[], current: Subscription): Pick<Facts, 'trialStart' | 'trialEnd'> {
  const index = subscriptions.findIndex(({ trial_ends }) => trial_ends != null)
  const { created = null, trial_ends: end = null } = subscriptions[index] ?? {}
  if (current.trial_ends != null) return { trialStart: created, trialEnd: current.trial_ends }
  const next = subscriptions.slice(index + 1).find(({ trial_ends }) => trial_ends == null)
  const isEnded = end !== null && next !== undefined && next.created < end
  return { trialStart: created, trialEnd: isEnded ? next.created : end }
}

function oneTime(license: License, payment: Payment, payments: Payment[]): Facts {
  const given = isGivenBack(payment, payments)
  return {
    status: given ? 'refunded' : license.is_cancelled ? 'canceled' : 'active',
    begun: true,
    periodCovered: true,
    ...ONE_TIME,
    unitAmount: minorUnits(payment.gross, payment.currency),
    currency: payment.currency,
  }
}

/**
 * Access follows the licence. Freemius stops the renewals of a cancelled subscription at once, and the licence continues to the end of the
 * paid period; a cancelled trial ends at once. While a renewal fails, the licence has expired but the subscription has not ended: Freemius
 * retries the charge for some days, then cancels both.
 */
function toStatus(license: License, subscription: Subscription, begun: boolean, now: Date): PurchaseStatus {
  const { canceled_at, trial_ends, failed_payments, outstanding_balance } = subscription
  const isOver = license.expiration != null && license.expiration <= now
  if (license.is_cancelled) return 'canceled'
  if (canceled_at) return isOver || isCancelledInTrial(subscription) || !begun ? 'canceled' : 'active'
  if (!begun) return 'pending'
  if (trial_ends && trial_ends > now) return 'trialing'
  // Failures may be counted over the whole life of a subscription, so the number alone means nothing.
  const isOwed = (failed_payments ?? 0) > 0 && (isOver || (outstanding_balance ?? 0) > 0)
  return isOwed ? 'past_due' : 'active'
}

/** A first payment that has not arrived, as may happen with PayPal, is awaited for a day. Until then nothing was bought. */
function isBegun(
  { created, trial_ends, initial_amount, next_payment }: Subscription,
  paid: Payment | undefined,
): boolean {
  if (paid || trial_ends || initial_amount === 0) return true
  return next_payment != null && next_payment.getTime() - created.getTime() > DAY_MS
}

/** The end of a trial whose first payment is still due; null: it goes on, was paid for, or was cancelled before its end. */
function unpaidTrialEnd(subscription: Subscription, paid: Payment | undefined, now: Date): Date | null {
  const { trial_ends } = subscription
  return !paid && trial_ends && trial_ends <= now && !isCancelledInTrial(subscription) ? trial_ends : null
}

const isCancelledInTrial = ({ canceled_at, trial_ends }: Subscription) =>
  canceled_at != null && trial_ends != null && canceled_at < trial_ends

/**
 * The first period begins with the subscription, although its payment may arrive later: it must not seem to be another one then. A charge
 * shortly before the end of a trial does not shorten it.
 */
function periodStart(subscription: Subscription, sold: Payment[], now: Date): Date {
  const { created, trial_ends } = subscription
  const paid = lastPayment(subscription, sold)
  if (!paid) return unpaidTrialEnd(subscription, paid, now) ?? created
  if (trial_ends) return trial_ends > paid.created ? trial_ends : paid.created
  const isFirst = !paid.is_renewal && paid === sold.find(({ subscription_id: id }) => id === subscription.id)
  return isFirst && created < paid.created ? created : paid.created
}

/**
 * The last payment of a subscription: not that of another one, which a change of plan may have made between two reads. One with another
 * payment method continues what was paid for before it.
 */
function lastPayment({ id, pricing_id: pricing }: Subscription, sold: Payment[]): Payment | undefined {
  const own = sold.findLast(({ subscription_id: paid }) => paid == null || paid === id)
  return own ?? sold.findLast(({ pricing_id: paid }) => paid === pricing)
}

/** The end of a cancelled trial is the time of its cancellation. */
function periodEnd({ expiration }: License, subscription: Subscription): Date | null {
  const { canceled_at, next_payment } = subscription
  if (canceled_at && isCancelledInTrial(subscription)) return canceled_at
  return expiration ?? next_payment ?? null
}
