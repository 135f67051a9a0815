import type { CheckoutOptions } from './checkout-options.ts'
import { type Discount, type OfferLimits, takenOff } from './discount.ts'
import type { ObjectVersions } from './object-versions.ts'
import type { ProcessorName } from './processor-name.ts'

export interface FetchedPurchase {
  /** Null if nothing was bought yet, or if another paywall or another system sold it. */
  purchase: PurchaseSnapshot | null
  /** Whether a hosted page without a purchase may still lead to one: its payment has not failed, been cancelled or expired. */
  isUndecided: boolean
  /** The version of each object that was read, even if it sold nothing of ours. Absent if reads are never stale. */
  versions?: ObjectVersions
  /** The money facts in this read, if the processor's webhooks do not carry them. A fact counts once, whoever reports it. */
  payments?: PaymentFact[]
  /** The receipt of a one-time purchase, if the webhooks of its payment do not carry it: see `PaymentFact.receiptUrl`. */
  receiptUrl?: string
  /**
   * Present if something remains to be done at the processor, which was unavailable for it: then the purchase must be read again soon.
   * `retryAfter`: the processor's `Retry-After` in seconds; null if it sent none.
   */
  unfinished?: { retryAfter: number | null }
}

export interface CheckoutOrder {
  /** The idempotency key: a retry of the same order has the same key. */
  key: string
  checkoutId: string
  paywallId: string
  userId: string
  email: string | null
  /** The buyer's id at the processor, from the latest purchase; null if there is none yet. */
  customer: string | null
  /** The same per currency that the buyer has bought in. */
  customers: Readonly<Record<string, string>>
  processorPrice: string
  currency: string
  /** Of one unit. */
  amount: number
  quantity: number
  /** The billing period; null for a one-time price. */
  recurring: { interval: Interval; intervalCount: number } | null
  trialDays: number
  /** The processor's id of the discount that an offer gives. Absent: there is none. */
  discount?: string
  /** What that takes off, for processors without discounts of their own. Absent: nothing. */
  reduction?: OrderReduction
  /** `settings.checkout` of the paywall. Without a `locale` there, it is that of the call, if the processor may be sent it. */
  options: CheckoutOptions
  successUrl: string
  errorUrl: string
}

/** `takenOff`: of what all units of the order cost, in minor units; `periods`: see `Discount`. */
export type OrderReduction = { takenOff: number } & Pick<Discount, 'periods'>

/** What a processor is asked to take off an amount for an offer: by its own discount, or as an amount. In minor units. */
export function orderDiscount(
  { discount, processor_discount: id }: { discount: Discount; processor_discount: string | null },
  amount: number,
): Pick<CheckoutOrder, 'discount' | 'reduction'> {
  const { periods } = discount
  return {
    ...(id !== null && { discount: id }),
    reduction: { takenOff: takenOff(discount, amount), ...(periods !== undefined && { periods }) },
  }
}

/** What an offer takes off which prices; `amount` of the discount is in the minor units of ISO 4217. */
export interface SoldDiscount extends OfferLimits {
  discount: Discount
  /** Whether it is offered to subscribers who cancel. */
  isToStay?: boolean
  /** `recurring`: null for a one-time price. */
  prices: { processorPrice: string; recurring: CheckoutOrder['recurring'] }[]
}

/**
 * Why the processor's discount with this id differs from an offer of the paywall file, in words that follow its name; null if it does not.
 *
 * @throws ProcessorError
 */
export type DiscountCheck = (id: string, sold: SoldDiscount) => Promise<string | null>

/** `expiresAt`: when the page can no longer be paid; null if the processor does not say so as it opens the page. */
export interface HostedCheckout {
  pageId: string
  url: string
  expiresAt: Date | null
}

/** A subscription after a cancellation: `cancelAtPeriodEnd` is false once it has ended. */
export type Cancellation = Pick<
  PurchaseSnapshot,
  'status' | 'cancelAtPeriodEnd' | 'cancelAt' | 'canceledAt' | 'versions'
>

/** `isReportedByWebhook`: the processor sends a webhook of it. If not, the caller must fetch the purchase. */
export interface AcceptedCancellation extends Cancellation {
  isReportedByWebhook: boolean
}

/** A change of a subscription to another price or quantity. `amount` is that of one unit, in the minor units of ISO 4217. */
export interface PlanChange {
  /** The idempotency key: a retry of the same change has the same key. */
  key: string
  subscriptionId: string
  to: {
    processorPrice: string
    currency: string
    amount: number
    quantity: number
    interval: Interval
    intervalCount: number
  }
  /** `now`: unused time is credited and the difference charged at once. `period_end`: it renews at the new price. */
  when: 'now' | 'period_end'
  /** The time up to which the current period counts as used: that of the preview. */
  pricedAt: Date
  /** The options of a page where the buyer pays for the change. Absent: the caller is older than they are. */
  options?: CheckoutOptions | undefined
}

/**
 * A subscription that gets a discount, as an order has it. `amount`: what a period costs without it, in minor units. `use`: identifies the
 * use of the offer, for retries.
 */
export interface DiscountedSubscription extends Pick<CheckoutOrder, 'discount' | 'reduction'> {
  subscriptionId: string
  amount: number
  use: string
}

/** A refund of a payment that succeeded, in whole or in part. */
export interface RefundOrder {
  /** Our id of the refund, which is stored at the processor: a retry finds by it what an earlier attempt has done. */
  id: string
  /** The idempotency key: a retry that got no response has the same key. */
  key: string
  /** When it was first requested, by the paywall's clock. */
  requestedAt: Date
  /** The payment, and the purchase, by the processor's ids. */
  paymentId: string
  purchase: Pick<PurchaseReference, 'kind' | 'id'>
  /** In minor units, with taxes. */
  amount: number
  currency: string
}

/**
 * `refunded`: the processor has accepted the refund, `id` is its id of it, which its facts have, too, and `amount` what is returned, in minor
 * units: less than the order's if the processor cannot return exactly that, and never more. `fact`: null while the refund is in progress.
 * `too_large`: only `left` is left of the payment there.
 */
export type RefundResult =
  | { outcome: 'refunded'; id: string; amount: number; fact: PaymentFact | null }
  | { outcome: 'too_large'; left: number }
  | { outcome: 'disputed' }
  | { outcome: 'not_settled' }

/** A payment whose receipt is requested, by the processor's ids of it and of the purchase's customer. */
export interface PaidPayment {
  id: string
  customer: string | null
}

/**
 * `page`: the processor's page or document with the receipt, at an address that may expire. `pdf`: the document itself, which only the
 * owner's key opens. `pending`: the processor is still making the document; it is ready within seconds.
 */
export type Receipt =
  | { kind: 'page'; url: string }
  | { kind: 'pdf'; content: Uint8Array<ArrayBuffer> }
  | { kind: 'pending' }

/** What a change of plan costs. Amounts are in the minor units of ISO 4217, with taxes. */
export interface PlanChangePreview {
  currency: string
  /** What is charged at once, after the credit; 0 if nothing is. */
  dueNow: number
  /** The credit for the unused time of the current period; 0 for a change at the end of the period. */
  credit: number
  /** When the new price applies. */
  effectiveAt: Date
  /** The next charge after `dueNow`. */
  next: { amount: number; at: Date }
  /** Whether the processor may charge another amount than `dueNow`. */
  isEstimate: boolean
}

/**
 * `changed`: the subscription has the new price, or will have it at the end of its period. `payment_required`: its buyer must pay or
 * authenticate at `url`; until then the plan is unchanged, or it has changed and the subscription is past due. `declined`: the charge was
 * declined; nothing has changed. `pending`: the charge may take days; once it is paid, the plan changes. `in_progress`: the charge of another
 * change is pending; nothing has changed. `other_amount`: the charge would not be the quoted one; nothing has changed. `cancelled`: the
 * processor changes no subscription whose end is scheduled.
 */
export type PlanChangeResult =
  | { outcome: 'changed' | 'declined' | 'pending' | 'in_progress' | 'other_amount' | 'cancelled' }
  | { outcome: 'payment_required'; url: string }

/**
 * How to find a purchase: by the id of its hosted page, which may have sold nothing, or, once the purchase is stored, by its `processorId`.
 * `soldTo`: the address that it was sold to, if the event contains it; the buyer may have changed it since.
 */
export type PurchaseReference =
  | { kind: 'page'; id: string; sale?: PageSale }
  | { kind: 'subscription'; id: string; soldTo?: string; refunds?: CompletedRefund[] }
  | { kind: 'payment'; id: string; soldTo?: string; refunds?: CompletedRefund[] }

/** A refund that was reported as completed. It may have failed since, which the read of a purchase does not always show. */
export type CompletedRefund = Required<Pick<PaymentFact, 'id' | 'paymentId' | 'amount' | 'currency'>>

/** What a hosted page offers for sale, with which a processor that stores no metadata finds the purchase. */
export interface PageSale {
  email: string | null
  processorPrice: string
  /** A processor may use one name for the monthly, yearly and one-time price. Null for a one-time price. */
  interval: Interval | null
  openedAt: Date
  /** `processorId`s that other pages have sold to the buyer: this page did not sell those. */
  sold: string[]
}

/** The sale in a signed return URL. */
export interface SignedSale {
  purchase: Exclude<PurchaseReference, { kind: 'page' }>
  email: string
  /** Null if the URL does not contain it. */
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

/** The units of a billing period. */
export const INTERVALS = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

/** A subscription or one-time purchase at the processor. */
export interface PurchaseSnapshot {
  processorId: string
  /**
   * The checkout determines the user and the paywall. Null if the processor stores no metadata: then the checkout is found by `buyerEmail`,
   * `soldAs` and `startedAt`.
   */
  checkoutId: string | null
  /** What the buyer's page sold, before any change of plan. */
  soldAs?: { processorPrice: string; interval: Interval | null }
  /**
   * What it charges now, by the processor's own name, such as a price id. It follows a change of plan there, and is mapped to a price of
   * the paywall. Null if the processor has no names for prices; then amount, currency and interval are compared.
   */
  processorPrice: string | null
  /** When it was sold, by the processor's clock: the start of the subscription, or the payment. */
  startedAt: Date
  /** The amount of the first payment, with taxes and after discounts; 0 for a trial. Null if this read does not show it. */
  charged: number | null
  /**
   * Whether the current period is paid for at the subscription's current price and quantity. False after a change of plan that is not paid
   * yet, such as one whose difference is charged with the next period.
   */
  priceCovered: boolean
  /**
   * Whether the plan was changed within a period that was paid for at the previous price, and the change was paid for at once. A change at
   * a renewal does not count.
   */
  changedInPeriod: boolean
  /** The change of plan that takes effect at a later time, usually at the end of the period. Null if none is scheduled. */
  scheduledChange: ScheduledChange | null
  /**
   * The versions of the objects that determine this snapshot: a later read that has an older one, or lacks one, is not stored. Empty if
   * reads are never stale.
   */
  versions?: ObjectVersions
  customer: string | null
  /** The address that the buyer gave on the hosted page, if the processor returns it. It is not verified. */
  buyerEmail: string | null
  status: PurchaseStatus
  /** Whether the first payment was made. It stays false if that payment fails for good: then nothing was bought. */
  begun: boolean
  /**
   * Whether the current period is covered: paid for, or a trial. A period may begin before its payment. For a one-time purchase: whether it
   * is paid.
   */
  periodCovered: boolean
  /** Both null for a one-time purchase. */
  interval: Interval | null
  intervalCount: number | null
  /** The price of one unit. */
  unitAmount: number
  /** The units that it is charged for. Null if this read does not show it, as for a payment. */
  quantity: number | null
  currency: string
  currentPeriodStart: Date | null
  currentPeriodEnd: Date | null
  trialStart: Date | null
  trialEnd: Date | null
  cancelAtPeriodEnd: boolean
  cancelAt: Date | null
  canceledAt: Date | null
}

/**
 * The price and the quantity from then on. `processorPrice`: by the processor's own name. Null if the processor has no names for prices;
 * then `charge` is compared.
 */
export type ScheduledChange = { at: Date; quantity: number } & (
  | { processorPrice: string; charge?: undefined }
  | { processorPrice: null; charge: Pick<PurchaseSnapshot, 'unitAmount' | 'currency' | 'interval' | 'intervalCount'> }
)

/**
 * What a one-time purchase leaves empty in its snapshot: it has no plan, no periods, no trial and no end, and most processors show no
 * quantity.
 */
export const ONE_TIME = {
  quantity: null,
  scheduledChange: null,
  interval: null,
  intervalCount: null,
  currentPeriodStart: null,
  currentPeriodEnd: null,
  trialStart: null,
  trialEnd: null,
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
} satisfies Partial<PurchaseSnapshot>

/** The kinds of money facts. A refund can fail after it had succeeded, and a dispute can be decided either way. */
const PAYMENT_KINDS = [
  'succeeded',
  'failed',
  'refunded',
  'refund_failed',
  'disputed',
  'dispute_lost',
  'dispute_won',
] as const

/** Money that moved, or failed to. Each fact counts once per kind and id. */
export interface PaymentFact {
  kind: (typeof PAYMENT_KINDS)[number]
  /** The processor's id of the fact: of the payment, the failed attempt, the refund or the dispute. */
  id: string
  /**
   * The processor's id of the payment concerned: the same for a payment, its failed attempts, its refunds and its disputes. Absent if equal
   * to `id`.
   */
  paymentId?: string
  amount: number
  currency: string
  occurredAt: Date
  /** The tax in the amount of a payment that succeeded, in minor units. Absent if the processor does not report it. */
  tax?: number | undefined
  /** What was taken off before a payment that succeeded, without taxes, in minor units. Absent if the processor does not report it. */
  discount?: number | undefined
  /** The processor's page with the receipt of a payment that succeeded. Absent if the processor reports none. */
  receiptUrl?: string | undefined
  /**
   * The period that a payment pays for: its start, as ISO text, the price and the quantity. The period may be over by now. Absent if no
   * event shows it, and for a payment that pays for no period of its own.
   */
  paysFor?: { from: string; processorPrice: string; quantity: number }
  /** Whether the payment brought nothing, such as the difference of a change that came too late: its refund takes no tokens back. */
  broughtNothing?: boolean
}

/** Why a processor call failed, by what the caller can do about it. */
export class ProcessorError extends Error {
  override name = 'ProcessorError'
  readonly acquiring: ProcessorName
  /**
   * `rejected`: the processor refused. `unavailable`: retry. `misconfigured`: the owner must fix keys or scopes, or the operator the key
   * that decrypts them; nothing was done.
   */
  readonly kind: 'rejected' | 'unavailable' | 'misconfigured'
  /** Whether the processor responded. It may have stored its response under the idempotency key, so a retry needs a new key. */
  readonly answered: boolean
  /** The processor's `Retry-After` in seconds; null if it sent none. */
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

/** An unexpected 2xx response: the call may have taken effect. */
export class UnexpectedReply extends ProcessorError {
  override name = 'UnexpectedReply'

  /** `faults` names the invalid fields and quotes no values. */
  constructor(acquiring: ProcessorName, faults: string) {
    super(acquiring, 'unavailable', `unexpected response: ${faults}`, { answered: false })
  }
}
