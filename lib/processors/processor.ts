import type { Acquiring } from './acquiring.ts'

/**
 * What a paywall asks of its processor, in our words. Ids are the processor's own, amounts are integer minor units,
 * times are `Date`. One folder a processor implements it; what differs between processors stays inside.
 * Every method throws `ProcessorError`.
 */
export interface Processor {
  readonly acquiring: Acquiring
  /** Whether a webhook tells of a cancellation. Where none does, whoever cancels looks at what came of it. */
  readonly tellsOfCancellations: boolean

  /** Opens a hosted checkout. The same `order.key` never opens a second one where the processor has idempotency. */
  openCheckout(order: CheckoutOrder): Promise<HostedCheckout>

  /** Makes an open hosted page unpayable. Harmless on one that was paid or has expired. Absent where that cannot be. */
  closeCheckout?(sessionId: string): Promise<void>

  /** Stops renewal: what is paid for stays. `reason` is noted where the processor has room for it. May be repeated. */
  cancelAtPeriodEnd(subscriptionId: string, reason: string): Promise<Cancellation>

  /** A one-time URL of a customer's hosted portal, which leads back to `returnUrl`. Absent where there is no portal. */
  openPortal?(customer: string, returnUrl: string): Promise<string>

  /**
   * Whether the buyer has done their part on a hosted page that cannot say yet what became of it. Absent where a page
   * always can.
   */
  isUndecided?(sessionId: string): Promise<boolean>

  /** The purchase as it is now; null while nothing was bought, or if the sale is not one of ours. */
  fetchPurchase(reference: PurchaseReference): Promise<PurchaseSnapshot | null>
}

export interface CheckoutOrder {
  /** What a repeat of the same order is known by. */
  key: string
  checkoutId: string
  paywallId: string
  userId: string
  email: string | null
  /** The buyer's id at the processor, if there is one by now. */
  customer: string | null
  processorPrice: string
  currency: string
  amount: number
  /** How often it is to be paid; null: once. */
  recurring: { interval: Interval; intervalCount: number } | null
  trialDays: number
  successUrl: string
  errorUrl: string
}

export interface HostedCheckout {
  sessionId: string
  url: string
}

/** A scheduled end of a subscription, as the processor answers it; null where it does not say. */
export interface Cancellation {
  status: PurchaseStatus
  cancelAt: Date | null
  canceledAt: Date | null
}

/**
 * Where to look for a purchase: the hosted page, which may have sold nothing, or what is stored of a subscription or of
 * a one-time purchase: its `processorId`.
 */
export type PurchaseReference =
  | { kind: 'session'; id: string }
  | { kind: 'subscription'; id: string }
  | { kind: 'payment'; id: string }

export const PURCHASE_STATUSES = [
  'pending',
  'trialing',
  'active',
  'past_due',
  'paused',
  'canceled',
  'refunded',
] as const
export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number]

/** The units that a billing period is counted in. */
export const INTERVALS = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

/** A subscription or one-time purchase as the processor says it is. `checkoutId` ties it to its user and paywall. */
export interface PurchaseSnapshot {
  processorId: string
  checkoutId: string
  customer: string | null
  status: PurchaseStatus
  /** False while its first payment is not made, and for ever if that failed for good: nothing was bought. */
  begun: boolean
  /** Whether its current period is paid for or on trial, or what was bought once is: a period may begin before that. */
  periodPaid: boolean
  /** Both null for a one-time purchase. */
  interval: Interval | null
  intervalCount: number | null
  unitAmount: number
  currency: string
  currentPeriodStart: Date | null
  currentPeriodEnd: Date | null
  trialStart: Date | null
  trialEnd: Date | null
  cancelAtPeriodEnd: boolean
  cancelAt: Date | null
  canceledAt: Date | null
}

/** Why a processor call failed, told apart by what the caller can do about it. */
export class ProcessorError extends Error {
  override name = 'ProcessorError'
  readonly acquiring: Acquiring
  /** `rejected`: it said no. `unavailable`: try again. `misconfigured`: the owner must fix keys or scopes. */
  readonly kind: 'rejected' | 'unavailable' | 'misconfigured'
  /** Whether this was the processor's own answer: the same call would get it again, so a repeat must be a new call. */
  readonly answered: boolean

  constructor(
    acquiring: Acquiring,
    kind: ProcessorError['kind'],
    message: string,
    options: { answered: boolean } & ErrorOptions,
  ) {
    super(`${acquiring}: ${message}`, options)
    this.acquiring = acquiring
    this.kind = kind
    this.answered = options.answered
  }
}
