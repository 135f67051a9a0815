import * as z from 'zod'
import { resolvePayment } from './checkout.ts'
import { type AccountContext, all } from './context.ts'
import { declines } from './customers.ts'
import { latestInvoice, owedInvoices } from './invoices.ts'
import type { InvoiceRecord, PaymentRecord } from './money-records.ts'
import { expireIfOver } from './pages.ts'
import { billCycle, collect, type DebtRules, invoiceToCharge, markUnpaid, rollOver } from './renewals.ts'
import { isInProgress, stepRefund } from './reversals.ts'
import type { SubscriptionRecord } from './selling-records.ts'
import { endSubscription, hasEnded } from './subscriptions.ts'

/** Work that is due at a time of the account's clock. It runs when the clock is moved. */
export interface Due {
  at: number
  /** Whether it also runs in real time, without moving the clock. */
  inRealTime?: boolean
  run(context: AccountContext): unknown
}

/** A processor's rules for renewals; times in seconds. */
export interface RenewalRules extends DebtRules {
  /** How long before its end a trial's end is announced; null: never. */
  trialNotice: number | null
  /** How long a renewal's invoice stays a draft; null: it is charged immediately. */
  draft: number | null
  /** The intervals between a failed charge and its retry. */
  retries: number[]
  /** What happens to a subscription after the last retry; by default it ends. */
  afterRetries?: AfterRetries
  /** How long until a subscription that was never paid expires, or with `chargesIncomplete` is charged. */
  incomplete: number
  chargesIncomplete?: boolean
}

/**
 * The owner's choices for a subscription whose last retry failed. `keep`: it continues, and the debt is not charged again.
 * `unpaid`: the same, and later periods are not charged automatically either.
 */
export const AfterRetries = z.enum(['cancel', 'unpaid', 'keep'])
export type AfterRetries = z.output<typeof AfterRetries>

/** Returns the rules of an account, which its owner can change. */
export type RenewalRulesFor = (context: AccountContext) => RenewalRules

const pagesDue = (context: AccountContext): Due[] =>
  all(context, 'pages')
    .filter(({ status }) => status === 'open')
    .map((page) => ({ at: page.expiresAt, inRealTime: true, run: (then) => expireIfOver(then, page) }))

/** Pending payments are resolved after `seconds`: they fail if the customer's charges fail. */
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

/** A refund in progress moves one step every `seconds`. */
export const refundsDue = (context: AccountContext, seconds: number): Due[] =>
  all(context, 'refunds')
    .filter(isInProgress)
    .map((refund) => {
      const steps = ['queued', 'pending', 'processing'].indexOf(refund.status) + 1
      return { at: refund.created + steps * seconds, run: (then) => stepRefund(then, refund) }
    })

/** The timing of sales at a processor that sells prices on pages and charges by invoice; times in seconds. */
export interface SalesRules {
  /** How long a slow payment is pending. */
  pendingSeconds: number
  /** How long a step of a slow refund takes; undefined: refunds do not move with the clock. */
  refundSeconds?: number
  renewals: RenewalRulesFor
}

/** All due work at a processor that sells on pages and charges by invoice. */
export const salesDue =
  ({ pendingSeconds, refundSeconds, renewals }: SalesRules) =>
  (context: AccountContext): Due[] => [
    ...pagesDue(context),
    ...pendingPaymentsDue(context, pendingSeconds, resolvePayment),
    ...(refundSeconds === undefined ? [] : refundsDue(context, refundSeconds)),
    ...subscriptionsDue(context, renewals(context)),
  ]

/** The next due work of each subscription that is charged by invoice. */
export const subscriptionsDue = (context: AccountContext, rules: RenewalRules): Due[] =>
  all(context, 'subscriptions').flatMap((subscription) => [
    ...chargesDue(context, subscription, rules),
    ...changesDue(subscription, rules),
  ])

/** The charges of unpaid invoices. An `unpaid` subscription is no longer charged automatically. */
function chargesDue(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): Due[] {
  const { status } = subscription
  if (!CHARGED_STATUSES.includes(status) || (status === 'incomplete' && !rules.chargesIncomplete)) return []
  const timing = status === 'incomplete' ? { ...rules, draft: rules.incomplete } : rules
  return owedInvoices(context, subscription)
    .filter(({ isGivenUp }) => !isGivenUp)
    .map((invoice) => ({
      at: nextChargeAt(invoice, timing),
      run: (then) => chargeOrEnd(then, subscription, invoice, !declines(then, subscription.customer), rules),
    }))
}

const CHARGED_STATUSES: SubscriptionRecord['status'][] = ['incomplete', 'trialing', 'active', 'past_due', 'canceled']
const RENEWED_STATUSES: SubscriptionRecord['status'][] = ['trialing', 'active', 'past_due', 'unpaid']

/** The end of a subscription or its period, the announcement before it, and the bill after it. */
function changesDue(subscription: SubscriptionRecord, rules: RenewalRules): Due[] {
  const { status, trialEnd, trialEndAnnounced, periodEnd, created, cancelAt } = subscription
  const { owedAtEnd, trialNotice } = rules
  if (hasEnded(subscription)) {
    const isLeft = subscription.pendingLines.length > 0
    return isLeft ? [{ at: periodEnd, run: (then) => billCycle(then, subscription) }] : []
  }
  if (status === 'incomplete' && !rules.chargesIncomplete) {
    return [{ at: created + rules.incomplete, run: (then) => endSubscription(then, subscription) }]
  }
  if (!RENEWED_STATUSES.includes(status)) return []
  if (status === 'trialing' && trialEnd !== null && !trialEndAnnounced && trialNotice !== null) {
    return [{ at: trialEnd - trialNotice, run: (then) => announceTrialEnd(then, subscription) }]
  }
  if (cancelAt !== null && cancelAt < periodEnd) {
    return [{ at: cancelAt, run: (then) => endSubscription(then, subscription, { at: cancelAt, owedAtEnd }) }]
  }
  return [{ at: periodEnd, run: (then) => endPeriod(then, subscription, rules) }]
}

/** Begins the next period, charged at once where invoices are never drafts, or ends the subscription. */
function endPeriod(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): void {
  rollOver(context, subscription, rules)
  const invoice = latestInvoice(context, subscription)
  if (rules.draft === null && invoice.status === 'draft' && subscription.status !== 'unpaid') {
    chargeOrEnd(context, subscription, invoice, !declines(context, subscription.customer), rules)
  }
}

/** When an invoice is charged next after `attempts` charges. */
export function nextChargeAt(
  { created, attempts }: Pick<InvoiceRecord, 'created' | 'attempts'>,
  { draft, retries }: Pick<RenewalRules, 'draft' | 'retries'>,
): number {
  const waits = [draft ?? 0, ...retries].slice(0, attempts + 1)
  return waits.reduce((at, seconds) => at + seconds, created)
}

/** Charges an invoice. After the last retry the account's rules decide what happens to a subscription that is not active. */
function chargeOrEnd(
  context: AccountContext,
  subscription: SubscriptionRecord,
  invoice: InvoiceRecord,
  succeeds: boolean,
  rules: RenewalRules,
): SubscriptionRecord {
  const { retries, afterRetries = 'cancel', owedAtEnd } = rules
  collect(context, subscription, invoice, succeeds, rules)
  const isLast = invoice.attempts > retries.length || (hasEnded(subscription) && owedAtEnd === 'void')
  if (invoice.status === 'paid' || !isLast) return subscription
  invoice.isGivenUp = true
  if (hasEnded(subscription) || subscription.status === 'active') return subscription
  if (afterRetries === 'cancel') return endSubscription(context, subscription, { owedAtEnd })
  return afterRetries === 'unpaid' && subscription.status === 'past_due'
    ? markUnpaid(context, subscription)
    : subscription
}

/** Charges the next period or an unpaid invoice, and ends the subscription after the last retry. */
export function renewOrEnd(
  context: AccountContext,
  subscription: SubscriptionRecord,
  succeeds: boolean,
  rules: RenewalRules,
): SubscriptionRecord {
  const invoice = invoiceToCharge(context, subscription, rules)
  return invoice ? chargeOrEnd(context, subscription, invoice, succeeds, rules) : subscription
}

export function announceTrialEnd(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.status !== 'trialing') throw context.refuse(`Subscription ${subscription.id} is not in a trial.`)
  subscription.trialEndAnnounced = true
  context.emit({ what: 'subscription.trial_ending', subscription })
  return subscription
}
