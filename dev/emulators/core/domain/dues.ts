import * as z from 'zod'
import { resolvePayment } from './checkout.ts'
import { type AccountContext, all } from './context.ts'
import { declines } from './customers.ts'
import { latestInvoice } from './invoices.ts'
import type { InvoiceRecord, PaymentRecord } from './money-records.ts'
import { expireIfOver } from './pages.ts'
import { markUnpaid, renewSubscription, rollOver } from './renewals.ts'
import { isUnderWay, stepRefund } from './reversals.ts'
import type { SubscriptionRecord } from './selling-records.ts'
import { endSubscription, hasEnded } from './subscriptions.ts'

/** Something that happens at a time of the account's clock, when that is moved. */
export interface Due {
  at: number
  /** Whether it also happens when that much real time has passed. */
  byItself?: boolean
  run(context: AccountContext): unknown
}

/** How a processor renews subscriptions; times in seconds. */
export interface RenewalRules {
  /** How long before its end a trial's end is announced; null: it is not. */
  trialNotice: number | null
  /** How long a renewal's invoice is a draft; null: it is charged as it is made. */
  draft: number | null
  /** How long after a failed charge the next one follows. */
  retries: number[]
  /** What becomes of a subscription after the last of them: without it, it ends. */
  afterRetries?: AfterRetries
  /** After how long a subscription that was never paid expires, or is charged like any other. */
  incomplete: number
  chargesIncomplete?: boolean
}

/**
 * What an owner can choose for a subscription whose last retry has failed. `keep`: it goes on, and what is owed is not charged
 * again. `unpaid`: likewise, but no later period is charged by itself either.
 */
export const AfterRetries = z.enum(['cancel', 'unpaid', 'keep'])
export type AfterRetries = z.output<typeof AfterRetries>

/** The rules of an account: an owner may have changed them. */
export type RenewalRulesOf = (context: AccountContext) => RenewalRules

const pagesDue = (context: AccountContext): Due[] =>
  all(context, 'pages')
    .filter(({ status }) => status === 'open')
    .map((page) => ({ at: page.expiresAt, byItself: true, run: (then) => expireIfOver(then, page) }))

/** Pending payments are decided `seconds` after they began: they fail if the customer's charges do. */
export const pendingPaymentsDue = (
  context: AccountContext,
  seconds: number,
  decide: (context: AccountContext, payment: PaymentRecord, succeeds: boolean) => unknown,
): Due[] =>
  all(context, 'payments')
    .filter(({ status }) => status === 'pending')
    .map((payment) => ({
      at: payment.created + seconds,
      run: (then) => decide(then, payment, !declines(then, payment.customer)),
    }))

/** A refund that is under way takes a step every `seconds`. */
export const refundsDue = (context: AccountContext, seconds: number): Due[] =>
  all(context, 'refunds')
    .filter(isUnderWay)
    .map((refund) => {
      const steps = ['queued', 'pending', 'processing'].indexOf(refund.status) + 1
      return { at: refund.created + steps * seconds, run: (then) => stepRefund(then, refund) }
    })

/** How the sales of a processor go on, whose pages sell prices and which charges by invoice; times in seconds. */
export interface SalesRules {
  /** How long a payment that takes its time is on its way. */
  pendingSeconds: number
  /** How long a step of a slow refund takes; without it no clock steps one. */
  refundSeconds?: number
  renewals: RenewalRulesOf
}

/** All that waits for its time at a processor that sells on pages and charges by invoice. */
export const salesDue =
  ({ pendingSeconds, refundSeconds, renewals }: SalesRules) =>
  (context: AccountContext): Due[] => [
    ...pagesDue(context),
    ...pendingPaymentsDue(context, pendingSeconds, resolvePayment),
    ...(refundSeconds === undefined ? [] : refundsDue(context, refundSeconds)),
    ...subscriptionsDue(context, renewals(context)),
  ]

/** What is next in the life of each subscription that is charged by invoice. */
export const subscriptionsDue = (context: AccountContext, rules: RenewalRules): Due[] =>
  all(context, 'subscriptions').flatMap((subscription) => nextOf(context, subscription, rules) ?? [])

const CHARGED: SubscriptionRecord['status'][] = ['incomplete', 'trialing', 'active', 'past_due', 'unpaid']

function nextOf(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): Due | null {
  const { status, trialEnd, trialEndAnnounced, periodEnd, created, cancelAt } = subscription
  if (status === 'incomplete' && !rules.chargesIncomplete) {
    return { at: created + rules.incomplete, run: (then) => endSubscription(then, subscription) }
  }
  if (!CHARGED.includes(status)) return null
  if (status === 'trialing' && trialEnd !== null && !trialEndAnnounced && rules.trialNotice !== null) {
    return { at: trialEnd - rules.trialNotice, run: (then) => announceTrialEnd(then, subscription) }
  }
  const invoice = latestInvoice(context, subscription)
  if (invoice.status === 'paid' || invoice.isGivenUp || status === 'unpaid') {
    if (cancelAt !== null && cancelAt < periodEnd) {
      return { at: cancelAt, run: (then) => endSubscription(then, subscription, cancelAt) }
    }
    return { at: periodEnd, run: (then) => beginPeriod(then, subscription, rules) }
  }
  const at = nextChargeAt(invoice, status === 'incomplete' ? { ...rules, draft: rules.incomplete } : rules)
  if (cancelAt !== null && cancelAt < at) {
    return { at: cancelAt, run: (then) => endSubscription(then, subscription, cancelAt) }
  }
  return { at, run: (then) => charge(then, subscription, rules) }
}

/** Begins the next period. Where no invoice is a draft first, it is charged at once. */
function beginPeriod(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): void {
  rollOver(context, subscription)
  if (rules.draft === null && !hasEnded(subscription) && subscription.status !== 'unpaid') {
    charge(context, subscription, rules)
  }
}

function charge(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): void {
  chargeOrEnd(context, subscription, !declines(context, subscription.customer), rules)
}

/** When an invoice is charged that was charged `attempts` times before. */
export function nextChargeAt(
  { created, attempts }: Pick<InvoiceRecord, 'created' | 'attempts'>,
  { draft, retries }: Pick<RenewalRules, 'draft' | 'retries'>,
): number {
  const waits = [draft ?? 0, ...retries].slice(0, attempts + 1)
  return waits.reduce((at, seconds) => at + seconds, created)
}

/** Charges what is owed, or the next period. After the last retry the account's rules decide what becomes of the subscription. */
export function chargeOrEnd(
  context: AccountContext,
  subscription: SubscriptionRecord,
  succeeds: boolean,
  { retries, afterRetries = 'cancel' }: RenewalRules,
): SubscriptionRecord {
  renewSubscription(context, subscription, succeeds)
  const invoice = latestInvoice(context, subscription)
  if (invoice.status === 'paid' || invoice.attempts <= retries.length || hasEnded(subscription)) return subscription
  invoice.isGivenUp = true
  if (afterRetries === 'cancel') return endSubscription(context, subscription)
  return afterRetries === 'unpaid' && subscription.status === 'past_due'
    ? markUnpaid(context, subscription)
    : subscription
}

export function announceTrialEnd(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.status !== 'trialing') throw context.refuse(`Subscription ${subscription.id} is not in a trial.`)
  subscription.trialEndAnnounced = true
  context.tell({ what: 'subscription.trial_ending', subscription })
  return subscription
}
