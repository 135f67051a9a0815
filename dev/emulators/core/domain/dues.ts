import * as z from 'zod'
import { resolvePayment } from './checkout.ts'
import { type AccountContext, all } from './context.ts'
import { declines } from './customers.ts'
import { latestInvoice, owedInvoices } from './invoices.ts'
import type { InvoiceRecord, PaymentRecord } from './money-records.ts'
import { expireIfOver } from './pages.ts'
import { billCycle, collect, type DebtRules, invoiceToCharge, markUnpaid, rollOver } from './renewals.ts'
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
export interface RenewalRules extends DebtRules {
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

/** What is to come in the life of each subscription that is charged by invoice. */
export const subscriptionsDue = (context: AccountContext, rules: RenewalRules): Due[] =>
  all(context, 'subscriptions').flatMap((subscription) => [
    ...chargesDue(context, subscription, rules),
    ...changesDue(subscription, rules),
  ])

/** The charges of what is owed. What is `unpaid` is charged no more by itself. */
function chargesDue(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): Due[] {
  const { status } = subscription
  if (!CHARGED.includes(status) || (status === 'incomplete' && !rules.chargesIncomplete)) return []
  const timing = status === 'incomplete' ? { ...rules, draft: rules.incomplete } : rules
  return owedInvoices(context, subscription)
    .filter(({ isGivenUp }) => !isGivenUp)
    .map((invoice) => ({
      at: nextChargeAt(invoice, timing),
      run: (then) => chargeOrEnd(then, subscription, invoice, !declines(then, subscription.customer), rules),
    }))
}

const CHARGED: SubscriptionRecord['status'][] = ['incomplete', 'trialing', 'active', 'past_due', 'canceled']
const GOES_ON: SubscriptionRecord['status'][] = ['trialing', 'active', 'past_due', 'unpaid']

/** The end of a subscription, or of its period, what is announced before, and what is billed after the end. */
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
  if (!GOES_ON.includes(status)) return []
  if (status === 'trialing' && trialEnd !== null && !trialEndAnnounced && trialNotice !== null) {
    return [{ at: trialEnd - trialNotice, run: (then) => announceTrialEnd(then, subscription) }]
  }
  if (cancelAt !== null && cancelAt < periodEnd) {
    return [{ at: cancelAt, run: (then) => endSubscription(then, subscription, { at: cancelAt, owedAtEnd }) }]
  }
  return [{ at: periodEnd, run: (then) => endPeriod(then, subscription, rules) }]
}

/** Begins the next period, or ends the subscription. Where no invoice is a draft first, what is to be paid is charged at once. */
function endPeriod(context: AccountContext, subscription: SubscriptionRecord, rules: RenewalRules): void {
  rollOver(context, subscription, rules)
  const invoice = latestInvoice(context, subscription)
  if (rules.draft === null && invoice.status === 'draft' && subscription.status !== 'unpaid') {
    chargeOrEnd(context, subscription, invoice, !declines(context, subscription.customer), rules)
  }
}

/** When an invoice is charged that was charged `attempts` times before. */
export function nextChargeAt(
  { created, attempts }: Pick<InvoiceRecord, 'created' | 'attempts'>,
  { draft, retries }: Pick<RenewalRules, 'draft' | 'retries'>,
): number {
  const waits = [draft ?? 0, ...retries].slice(0, attempts + 1)
  return waits.reduce((at, seconds) => at + seconds, created)
}

/** Charges an invoice. After its last retry the account's rules decide what becomes of a subscription that is not active. */
export function chargeOrEnd(
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

/** Charges the next period, or what is owed, and ends what cannot be charged any more. */
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
