// Why a user has access, or has not: one sentence for each purchase, and one for the user.
import { formatDate } from '../text/formats.ts'

/** A purchase as console_purchase_json in show-user.sql gives it. */
export interface ConsolePurchase {
  id: string
  status: string
  acquiring: string
  label: string
  price_slug: string | null
  processor_id: string
  interval: string | null
  unit_amount: number
  quantity: number
  currency: string
  current_period_end: string | null
  cancel_at_period_end: boolean
  cancel_at: string | null
  canceled_at: string | null
  cancellation_reason: string | null
  access_until: string | null
  past_due_since: string | null
  access_lost_at: string | null
  ended_by_owner_at: string | null
  gives_access: boolean
  is_pack: boolean
  has_begun: boolean
  is_replaced: boolean
  created_at: string
  payments: PaymentFact[]
}

export interface PaymentFact {
  /** Of the payment: its refunds and disputes have the same. */
  id: string
  kind: string
  amount: number
  currency: string
  processor_payment: string
  receipt_url: string | null
  occurred_at: string
}

/** Access that the owner gave without a payment. */
export interface ConsoleGrant {
  id: string
  price_slug: string | null
  created_at: string
  ends_at: string
  ended_at: string | null
  gives_access: boolean
  /** Null once the person was erased. */
  reason: string | null
  end_reason: string | null
}

/** Explains the access of a user on a paywall by its purchases and its grants, each newest first. */
export function explainAccess(purchases: ConsolePurchase[], grants: ConsoleGrant[]): string {
  const giving = purchases.find((purchase) => purchase.gives_access)
  if (giving) return `Access: ${explainPurchase(giving)}`
  const grant = grants.find((each) => each.gives_access)
  if (grant) return `Access: you gave it until ${formatDate(grant.ends_at)}.`
  const latest = purchases.find((purchase) => !purchase.is_pack)
  if (latest) return `No access: ${explainPurchase(latest)}`
  const [ended] = grants
  if (ended) return `No access: what you gave ended on ${formatDate(ended.ended_at ?? ended.ends_at)}.`
  return purchases.length > 0 ? 'No access: only packs were bought, which give none.' : 'No access: nothing was bought.'
}

/** What a purchase's state is, and why. */
export function explainPurchase(purchase: ConsolePurchase): string {
  const what = `“${purchase.label}”`
  return purchase.gives_access ? explainGiven(purchase, what) : explainMissing(purchase, what)
}

function explainGiven(
  { status, access_until, interval, cancel_at, ...purchase }: ConsolePurchase,
  what: string,
): string {
  const until = access_until ? ` until ${formatDate(access_until)}` : ''
  if (interval === null) return `${what} was bought and has no end.`
  if (status === 'past_due') {
    return `the last payment of ${what} failed on ${formatDate(purchase.past_due_since ?? '')}; access continues${until}, in case it is paid.`
  }
  const isEnding = cancel_at !== null || purchase.cancel_at_period_end
  const state = status === 'trialing' ? 'on trial' : 'active'
  return isEnding
    ? `${what} is ${state}, and was cancelled: access ends${until.replace('until', 'on')}.`
    : `${what} is ${state}${until}.`
}

function explainMissing(purchase: ConsolePurchase, what: string): string {
  if (purchase.is_pack) return `${what} is a pack, which gives no access.`
  const lostAt = purchase.access_lost_at ? ` on ${formatDate(purchase.access_lost_at)}` : ''
  switch (purchase.status) {
    case 'pending':
      return `the payment of ${what} is pending.`
    case 'paused':
      return `${what} was paused${lostAt}.`
    case 'past_due':
      return `${what} was not paid: the grace period ended${purchase.access_until ? ` on ${formatDate(purchase.access_until)}` : ''}.`
    case 'refunded':
      return `${what} was refunded${lostAt}${byProcessor(purchase, 'refunded')}.`
    case 'canceled':
      return explainEnd(purchase, what, lostAt)
    default:
      return `the period of ${what} ended on ${formatDate(purchase.access_until ?? purchase.created_at)}, and no renewal was reported.`
  }
}

function explainEnd(purchase: ConsolePurchase, what: string, lostAt: string): string {
  if (!purchase.has_begun) return `the first payment of ${what} failed.`
  if (purchase.ended_by_owner_at) return `you ended ${what} on ${formatDate(purchase.ended_by_owner_at)}.`
  if (purchase.is_replaced) return `${what} was replaced by a newer purchase${lostAt}.`
  if (purchase.payments.some(({ kind }) => kind === 'dispute_lost'))
    return `${what} ended${lostAt}: its payment was disputed.`
  if (purchase.past_due_since) return `${what} ended${lostAt}: its last payment failed.`
  if (purchase.canceled_at) return `${what} ended${lostAt}: it was cancelled on ${formatDate(purchase.canceled_at)}.`
  return `${what} ended${lostAt} at ${purchase.acquiring}.`
}

/** Names the processor that reported a fact of a purchase's payments. */
const byProcessor = ({ payments, acquiring }: ConsolePurchase, kind: string): string =>
  payments.some((fact) => fact.kind === kind) ? `, as ${acquiring} reports` : ''
