import type { Acquiring } from './acquiring.ts'

export interface FetchedPurchase {
  /** Null if nothing was bought yet, or if another paywall or another system sold it. */
  purchase: PurchaseSnapshot | null
  /** Whether a hosted page without a purchase may still lead to one: its payment has not failed, been cancelled or expired. */
  isUndecided: boolean
}

export interface CheckoutOrder {
  /** The idempotency key: a repeat of the same order has the same key. */
  key: string
  checkoutId: string
  paywallId: string
  userId: string
  email: string | null
  /** The buyer's id at the processor, as its last purchase has it; null until the processor has given one. */
  customer: string | null
  /** The same for each currency that the buyer has bought in. */
  customers: Readonly<Record<string, string>>
  processorPrice: string
  currency: string
  amount: number
  /** How often it is paid; null: once. */
  recurring: { interval: Interval; intervalCount: number } | null
  trialDays: number
  successUrl: string
  errorUrl: string
}

export interface HostedCheckout {
  pageId: string
  url: string
}

/** A cancelled subscription, as the processor describes it. A date is null if the processor does not give it. */
export interface Cancellation {
  status: PurchaseStatus
  cancelAt: Date | null
  canceledAt: Date | null
}

/** `isTold`: a webhook of it will come. If not, whoever cancels must fetch the purchase. */
export interface AcceptedCancellation extends Cancellation {
  isTold: boolean
}

/**
 * How to find a purchase: by the id of its hosted page, which may have sold nothing, or, once the purchase is stored,
 * by its `processorId`. `soldTo`: the address that it was sold to, where whoever told of it says that; the buyer may have
 * changed it since.
 */
export type PurchaseReference =
  | { kind: 'page'; id: string; sale?: PageSale }
  | { kind: 'subscription'; id: string; soldTo?: string }
  | { kind: 'payment'; id: string; soldTo?: string }

/** What was to be sold on a hosted page, as far as a processor that keeps no metadata needs it to find the purchase. */
export interface PageSale {
  email: string | null
  processorPrice: string
  /** A processor may have one name for what is paid monthly, yearly and once. Null: once. */
  interval: Interval | null
  openedAt: Date
  /** What other pages have sold to the buyer, by `processorId`: this one did not. */
  sold: string[]
}

/** What a signed address tells of the sale that a buyer comes back from. */
export interface SignedSale {
  purchase: Exclude<PurchaseReference, { kind: 'page' }>
  email: string
  /** Null: it does not tell. */
  processorPrice: string | null
  interval: Interval | null
  currency: string
}

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

/** A subscription or one-time purchase, as the processor has it. */
export interface PurchaseSnapshot {
  processorId: string
  /**
   * The checkout says which user bought it on which paywall. Null if the processor keeps no metadata: then the checkout is
   * found by `buyerEmail`, `processorPrice`, `soldAt` and the interval.
   */
  checkoutId: string | null
  /** What was sold, by the processor's name for it; needed only where `checkoutId` is null. */
  processorPrice?: string
  /** When it was sold; needed only where `checkoutId` is null. */
  soldAt?: Date
  customer: string | null
  /** The address that the buyer gave on the hosted page, as far as the processor tells. Nobody has proven that it is the buyer's. */
  buyerEmail: string | null
  status: PurchaseStatus
  /** Whether the first payment was made. It stays false if that payment fails for good: then nothing was bought. */
  begun: boolean
  /**
   * Whether the current period is covered: paid for, or a trial. A period may begin before its payment. Of a one-time
   * purchase: whether it is paid.
   */
  periodCovered: boolean
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
  /**
   * `rejected`: it said no. `unavailable`: try again. `misconfigured`: the owner must fix keys or scopes, or we the key that
   * opens them; nothing was done.
   */
  readonly kind: 'rejected' | 'unavailable' | 'misconfigured'
  /**
   * Whether the processor answered. It may have stored its answer under the idempotency key, so a repeat needs a new
   * key.
   */
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
