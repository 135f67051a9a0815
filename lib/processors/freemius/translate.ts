// How Freemius' objects become a purchase. The licence is the purchase: it gives access, and subscriptions come and go with
// it. One that has no subscription was bought once, for ever. Nothing is fetched here.
import type { Cancellation, PurchaseSnapshot, PurchaseStatus } from '../processor.ts'
import { byAge, isGivenBack, sales, total } from './money.ts'
import { type BillingCycle, type License, minorUnits, type Payment, type Subscription } from './objects.ts'

const DAY_MS = 86_400_000

/** All that Freemius has of a purchase. */
export interface Observed {
  license: License
  /** The latest of the licence; null if there is none. */
  subscription: Subscription | null
  /** All of the licence, the oldest first: each change of the plan or of the card makes a new one. */
  subscriptions: Subscription[]
  /** Those of the licence, refunds and disputes among them, in any order. */
  payments: Payment[]
  email: string | null
}

/** Null if nobody bought the licence: the owner gave it away, or it is a trial that asked for no payment method. */
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
    versions: {},
    customer: license.user_id ?? null,
    buyerEmail: email,
  }
  if (subscription) return { ...common, ...recurring(license, subscription, payments, now) }
  const payment = sales(payments).at(-1)
  return payment ? { ...common, ...oneTime(license, payment, payments) } : null
}

/** Those of a licence, the oldest first. */
export const licenseSubscriptions = ({ id }: License, subscriptions: Subscription[]): Subscription[] =>
  byAge(subscriptions.filter(({ license_id }) => license_id === id))

/** What a licence was sold for: `first` is the subscription that it was sold with. Its own plan is the one that it was changed to. */
export function soldAs(license: License, first: Subscription | null) {
  const { plan_id, pricing_id } = first?.pricing_id ? first : license
  const interval = first && toInterval(first.billing_cycle)
  return { processorPrice: `${plan_id}:${pricing_id}`, interval } as const
}

/** What the licence is for now. A licence without a pricing has that of its subscription. */
const joinPrice = ({ plan_id, pricing_id }: License, subscription: Subscription | null) =>
  `${plan_id}:${pricing_id ?? subscription?.pricing_id ?? ''}`

/** What the buyer paid first; 0 for a trial. Null: nothing was paid yet. */
function chargedAtFirst(subscription: Subscription | null, payments: Payment[]): number | null {
  if (subscription?.trial_ends) return 0
  const [first] = sales(payments)
  if (first) return total(first)
  return subscription?.initial_amount === 0 ? 0 : null
}

/**
 * Whether the last payment was for what the licence is for now: for the same cycle, too, since those of a pricing have one name. The
 * owner may give a licence another plan by hand, while its subscription goes on as it was: then what the subscription charges pays for it.
 */
function isPriceCovered({ license, subscription, subscriptions, payments }: Observed): boolean {
  const paid = sales(payments).at(-1)
  if (!paid?.pricing_id) return true
  const price = joinPrice(license, subscription)
  if (`${paid.plan_id}:${paid.pricing_id}` === price) {
    const paidBy = subscriptions.find(({ id }) => id === paid.subscription_id)
    return !paidBy || paidBy.billing_cycle === subscription?.billing_cycle
  }
  return subscription?.pricing_id != null && `${subscription.plan_id}:${subscription.pricing_id}` !== price
}

/** Whether the last payment was one for a change. Each begins a period at once with a subscription of its own, and may cost nothing. */
function isChangePaid({ subscriptions, payments }: Observed): boolean {
  const [before, paid] = sales(payments).slice(-2)
  const soldWith = (payment?: Payment) => subscriptions.find(({ id }) => id === payment?.subscription_id)
  const [old, now] = [soldWith(before), soldWith(paid)]
  if (paid?.is_renewal !== false || !old || !now) return false
  return old.plan_id !== now.plan_id || old.pricing_id !== now.pricing_id || old.billing_cycle !== now.billing_cycle
}

/** A subscription as it is after it was cancelled, with its licence. */
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

/** Null: it is paid once. */
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
  | 'versions'
  | 'customer'
  | 'buyerEmail'
type Facts = Omit<PurchaseSnapshot, Common>

/** Freemius tells when a period ends, and not when it began: that was with its payment, or with the trial. */
function recurring(license: License, subscription: Subscription, payments: Payment[], now: Date): Facts {
  const { billing_cycle, currency, amount_per_cycle, renewal_amount, canceled_at, trial_ends } = subscription
  const paid = sales(payments).at(-1)
  const begun = isBegun(subscription, paid)
  const end = periodEnd(license, subscription)
  const cancels = begun && canceled_at != null
  return {
    status: toStatus(license, subscription, begun, now),
    begun,
    // A licence goes on only when the next period is paid. That of a trial waits for its first payment.
    periodCovered: begun && !unpaidTrialEnd(subscription, paid, now),
    interval: toInterval(billing_cycle),
    intervalCount: billing_cycle === 0 ? null : 1,
    unitAmount: minorUnits(amount_per_cycle ?? renewal_amount, currency),
    currency,
    currentPeriodStart: begun ? periodStart(subscription, paid, now) : null,
    currentPeriodEnd: begun ? end : null,
    trialStart: trial_ends ? subscription.created : null,
    trialEnd: trial_ends ?? null,
    cancelAtPeriodEnd: cancels,
    cancelAt: cancels ? end : null,
    canceledAt: canceled_at ?? null,
  }
}

function oneTime(license: License, payment: Payment, payments: Payment[]): Facts {
  const given = isGivenBack(payment, payments)
  const none = { currentPeriodStart: null, currentPeriodEnd: null, trialStart: null, trialEnd: null }
  const never = { interval: null, intervalCount: null, cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null }
  return {
    ...{ ...none, ...never, begun: true, periodCovered: true },
    status: given ? 'refunded' : license.is_cancelled ? 'canceled' : 'active',
    unitAmount: minorUnits(payment.gross, payment.currency),
    currency: payment.currency,
  }
}

/**
 * Access is the licence's. Freemius stops the renewals of a cancelled subscription at once, and the licence goes on to the end
 * of what is paid for; of a cancelled trial nothing is left. While a renewal fails, the licence has expired and the
 * subscription has not ended: Freemius charges again for some days, then cancels both.
 */
function toStatus(license: License, subscription: Subscription, begun: boolean, now: Date): PurchaseStatus {
  const { canceled_at, trial_ends, failed_payments, outstanding_balance } = subscription
  const isOver = license.expiration != null && license.expiration <= now
  if (license.is_cancelled) return 'canceled'
  if (canceled_at) {
    const isOfTrial = trial_ends != null && canceled_at < trial_ends
    return isOver || isOfTrial || !begun ? 'canceled' : 'active'
  }
  if (!begun) return 'pending'
  if (trial_ends && trial_ends > now) return 'trialing'
  // Failures may be counted over the whole life of a subscription, so a number of them says nothing by itself.
  const isOwed = (failed_payments ?? 0) > 0 && (isOver || (outstanding_balance ?? 0) > 0)
  return isOwed ? 'past_due' : 'active'
}

/** A first payment that has not arrived, as PayPal's may, is awaited within a day. Then nothing was bought yet. */
function isBegun(
  { created, trial_ends, initial_amount, next_payment }: Subscription,
  paid: Payment | undefined,
): boolean {
  if (paid || trial_ends || initial_amount === 0) return true
  return next_payment != null && next_payment.getTime() - created.getTime() > DAY_MS
}

/** When a trial ended after which nothing was paid yet; null if there was none. */
function unpaidTrialEnd({ trial_ends }: Subscription, paid: Payment | undefined, now: Date): Date | null {
  return !paid && trial_ends && trial_ends <= now ? trial_ends : null
}

/** A trial is not shortened by a charge that is made a little before its end. */
function periodStart(subscription: Subscription, paid: Payment | undefined, now: Date): Date {
  const { created, trial_ends } = subscription
  if (!paid) return unpaidTrialEnd(subscription, paid, now) ?? created
  return trial_ends && trial_ends > paid.created ? trial_ends : paid.created
}

/** The end of a trial that was cancelled is its cancellation. */
function periodEnd({ expiration }: License, { canceled_at, trial_ends, next_payment }: Subscription): Date | null {
  if (canceled_at && trial_ends && canceled_at < trial_ends) return canceled_at
  return expiration ?? next_payment ?? null
}
