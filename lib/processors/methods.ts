import type { ProcessorEvent, WebhookRequest } from './event.ts'
import type { ObjectVersions } from './object-versions.ts'
import type {
  AcceptedCancellation,
  CheckoutOrder,
  DiscountedSubscription,
  FetchedPurchase,
  HostedCheckout,
  PaidPayment,
  PlanChange,
  PlanChangePreview,
  PlanChangeResult,
  PurchaseReference,
  Receipt,
  RefundOrder,
  RefundResult,
  SignedSale,
} from './processor.ts'

/**
 * The operations of a processor. Ids are the processor's own, amounts are integers in the minor units of ISO 4217, times are `Date`.
 * Every method throws `ProcessorError`. Adapters, the Worker `processors` and its clients derive their types from this one.
 */
export interface ProcessorMethods {
  /** Opens a hosted checkout. If the processor supports idempotency, the same `order.key` never opens a second one. */
  openCheckout(order: CheckoutOrder): Promise<HostedCheckout>

  /**
   * Expires an open hosted page; does nothing to one that was paid or has expired. Returns whether the processor confirms that it has
   * expired: then it sold nothing, and never will. Always false if pages cannot be closed.
   */
  closeCheckout(pageId: string): Promise<boolean>

  /**
   * Stops renewal; the paid period continues to its end. Idempotent. Not every processor stores `reason`. A read that has an older version
   * of an object than `known` does not confirm it.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string, known: ObjectVersions): Promise<AcceptedCancellation>

  /**
   * Ensures that a subscription is never charged again. One that is paid up, or on trial, ends with its period, without a charge. One that
   * is past due, unpaid or paused ends at once, after its open invoice, if there is one, is voided; if voiding is refused because it was
   * just paid, the subscription ends with its period. Idempotent.
   */
  stopCharging(subscriptionId: string): Promise<void>

  /** Ends a subscription at once, even if its period is paid. Open invoices are voided. Idempotent. */
  endNow(subscriptionId: string): Promise<void>

  /** Returns what a change of plan would cost. Changes nothing. Null if the processor cannot make this change. */
  previewPlanChange(change: PlanChange): Promise<PlanChangePreview | null>

  /**
   * Changes the price of a subscription, undoing a scheduled cancellation. No second subscription is created. `quoted`: the previewed
   * `dueNow`; null if nothing was previewed. Idempotent: if the subscription has the price, or is scheduled to get it, that is
   * `changed`. Null if the processor cannot make this change.
   */
  changePlan(change: PlanChange, quoted: number | null): Promise<PlanChangeResult | null>

  /**
   * Takes a discount off the coming periods of a running subscription. Null if that is not possible: the subscription has another discount, a
   * change of it is scheduled, or its payment method does not allow it. Idempotent while the discount lasts.
   */
  discountSubscription(discounted: DiscountedSubscription): Promise<'discounted' | null>

  /**
   * Returns money of a payment to the buyer. Idempotent: what an earlier attempt has returned for the order's `id` is not returned again.
   * A subscription continues. Null if the processor cannot refund through its API.
   */
  refundPayment(order: RefundOrder): Promise<RefundResult | null>

  /** Returns a one-time URL of the customer's hosted portal, with a link back to `returnUrl`. Null if the processor has no portal. */
  openPortal(customer: string, returnUrl: string): Promise<string | null>

  /** Opens the receipt of a payment that succeeded. Null if the processor has none, or none yet. */
  openReceipt(payment: PaidPayment): Promise<Receipt | null>

  /** Fetches the current purchase. */
  fetchPurchase(reference: PurchaseReference): Promise<FetchedPurchase>

  /**
   * Reads the sale from a signed return URL. Null if the processor does not sign them: each of its pages has its own return URL.
   *
   * @throws InvalidSignature
   */
  readReturn(address: string): Promise<SignedSale | null>

  /**
   * Verifies the signature of an inbound webhook over its raw body and translates it. Some events do not name their purchase, which is
   * then looked up at the processor. `hold`: for how many more seconds the processor must not be called, null
   * if it may be; until then a verified event that must be looked up is refused as unavailable.
   *
   * @throws InvalidSignature, MalformedEvent, ProcessorError
   */
  readEvent(request: WebhookRequest, hold?: number | null): Promise<ProcessorEvent>
}

export type MethodName = keyof ProcessorMethods

/** What a method resolves to. */
export type MethodResult<Name extends MethodName> = Awaited<ReturnType<ProcessorMethods[Name]>>

/** The methods that adapters implement. An adapter lacks those that its `Capabilities` exclude. */
export type AdapterMethods = Pick<ProcessorMethods, 'openCheckout' | 'stopCharging' | 'endNow' | 'readEvent'> &
  Partial<
    Pick<
      ProcessorMethods,
      | 'closeCheckout'
      | 'previewPlanChange'
      | 'changePlan'
      | 'discountSubscription'
      | 'refundPayment'
      | 'openPortal'
      | 'openReceipt'
      | 'readReturn'
    >
  >
