import type { ObjectVersions } from './object-versions.ts'
import type { ProcessorName } from './processor-name.ts'

export interface FetchedPurchase {
  /** Null if nothing was bought yet, or if another paywall or another system sold it. */
  purchase: PurchaseSnapshot | null
  /** Whether a hosted page without a purchase may still lead to one: its payment has not failed, been cancelled or expired. */
  isUndecided: boolean
  /**
   * The version of each object that was read, also if it sold nothing of ours. Left out where reads are never stale.
   */
  versions?: ObjectVersions
  /** The money facts that this read shows, where a processor's webhooks do not carry them. A fact counts once, whoever reports it. */
  payments?: PaymentFact[]
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

/** A subscription as it is after a cancellation: `cancelAtPeriodEnd` is false once it has ended. */
export type Cancellation = Pick<
  PurchaseSnapshot,
  'status' | 'cancelAtPeriodEnd' | 'cancelAt' | 'canceledAt' | 'versions'
>

/** `isReportedByWebhook`: the processor sends a webhook of it. If not, the caller must fetch the purchase. */
export interface AcceptedCancellation extends Cancellation {
  isReportedByWebhook: boolean
}

/**
 * How to find a purchase: by the id of its hosted page, which may have sold nothing, or, once the purchase is stored,
 * by its `processorId`. `soldTo`: the address that it was sold to, where whoever told of it says that; the buyer may have
 * changed it since.
 */
export type PurchaseReference =
  | { kind: 'page'; id: string; sale?: PageSale }
  | { kind: 'subscription'; id: string; soldTo?: string; refunds?: CompletedRefund[] }
  | { kind: 'payment'; id: string; soldTo?: string; refunds?: CompletedRefund[] }

/** A refund that was reported as completed. It may have failed since, which the read of a purchase does not always show. */
export type CompletedRefund = Required<Pick<PaymentFact, 'id' | 'paymentId' | 'amount' | 'currency'>>

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
   * found by `buyerEmail`, `soldAs` and `startedAt`.
   */
  checkoutId: string | null
  /** What the buyer's page has sold, before any change of the plan. */
  soldAs?: { processorPrice: string; interval: Interval | null }
  /**
   * What it charges now, by the processor's own name, such as a price id. It follows a change of plan there, and is mapped to a
   * price of the paywall. Null: the processor has no names for prices; then amount, currency and interval are compared.
   */
  processorPrice: string | null
  /** When it was sold, by the processor's clock: the start of the subscription, or the payment. */
  startedAt: Date
  /** What the first payment came to, with taxes and after discounts; 0 for a trial. Null: this read does not show it. */
  charged: number | null
  /**
   * Whether what covers the current period is the price that the subscription has now. False after a change of plan that is not
   * paid yet, such as one whose difference is charged with the next period.
   */
  priceCovered: boolean
  /**
   * Whether the plan was changed within a period that was paid for at the price before, and the change was paid for at once. A change
   * that comes with a renewal is none.
   */
  changedInPeriod: boolean
  /**
   * The versions of those objects that decide what this snapshot is: a later read that has an older one, or lacks one, is not stored.
   * Empty where reads are never stale.
   */
  versions?: ObjectVersions
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

/** What can happen to a payment. A refund can fail after it had succeeded, and a dispute can be decided either way. */
export const PAYMENT_KINDS = [
  'succeeded',
  'failed',
  'refunded',
  'refund_failed',
  'disputed',
  'dispute_lost',
  'dispute_won',
] as const

/** Money that moved, or failed to. It is counted once per kind and id. */
export interface PaymentFact {
  kind: (typeof PAYMENT_KINDS)[number]
  /** The processor's id of what happened: of the payment, the failed attempt, the refund or the dispute. */
  id: string
  /**
   * The processor's id of the payment that it is about: one for a payment, its failed attempts, its refunds and its disputes.
   * Left out where it is `id` itself.
   */
  paymentId?: string
  amount: number
  currency: string
  occurredAt: Date
  /**
   * The period of a subscription that a payment pays for: since when, as ISO text, and at which price. It may be one that is over by now.
   * Left out where no event shows it, and of what pays for no period of its own.
   */
  paysFor?: { from: string; processorPrice: string }
}

/** Why a processor call failed, told apart by what the caller can do about it. */
export class ProcessorError extends Error {
  override name = 'ProcessorError'
  readonly acquiring: ProcessorName
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
  /** How long the processor asks us to wait before the next call, in seconds; null: it names no time. */
  readonly retryAfter: number | null

  constructor(
    acquiring: ProcessorName,
    kind: ProcessorError['kind'],
    message: string,
    options: { answered: boolean; retryAfter?: number | null } & ErrorOptions,
  ) {
    super(`${acquiring}: ${message}`, options)
    this.acquiring = acquiring
    this.kind = kind
    this.answered = options.answered
    this.retryAfter = options.retryAfter ?? null
  }
}

/** A 2xx response that is not as expected: the call may have taken effect. */
export class UnexpectedReply extends ProcessorError {
  override name = 'UnexpectedReply'

  /** `faults` names the fields that are wrong, and quotes nothing. */
  constructor(acquiring: ProcessorName, faults: string) {
    super(acquiring, 'unavailable', `an unexpected answer: ${faults}`, { answered: false })
  }
}
