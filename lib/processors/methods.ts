import type { Inbound, ProcessorEvent } from './event.ts'
import type { ObjectVersions } from './object-versions.ts'
import type {
  AcceptedCancellation,
  CheckoutOrder,
  FetchedPurchase,
  HostedCheckout,
  PurchaseReference,
  SignedSale,
} from './processor.ts'

/**
 * What the service asks of a processor, in our terms. Ids are the processor's own, amounts are integers in the minor units of
 * ISO 4217, times are `Date`. Every method throws `ProcessorError`. Adapters, the Worker `processors` and its clients derive their
 * types from this one.
 */
export interface ProcessorMethods {
  /** Opens a hosted checkout. If the processor has idempotency, the same `order.key` never opens a second one. */
  openCheckout(order: CheckoutOrder): Promise<HostedCheckout>

  /**
   * Expires an open hosted page; does nothing to one that was paid or has expired. Resolves to whether the processor says that it
   * has expired: then it sold nothing, and never will. Always false where pages cannot be closed.
   */
  closeCheckout(pageId: string): Promise<boolean>

  /**
   * Stops renewal; the period that is paid for goes on to its end. Safe to repeat. Not all processors store `reason`. A read with
   * an older version of an object than `known` does not confirm the cancellation.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string, known: ObjectVersions): Promise<AcceptedCancellation>

  /**
   * Makes sure that a subscription is never charged again. One that is paid up, or on trial, ends with its period, without a
   * charge. One that is past due, unpaid or paused ends at once, after its open invoice, if there is one, is voided; if that
   * is refused because it was just paid, the subscription ends with its period. Safe to repeat.
   */
  stopCharging(subscriptionId: string): Promise<void>

  /** Ends a subscription at once, whatever is paid. Open invoices are voided. Safe to repeat. */
  endNow(subscriptionId: string): Promise<void>

  /** A one-time URL of the customer's hosted portal, with a link back to `returnUrl`. Null if the processor has no portal. */
  openPortal(customer: string, returnUrl: string): Promise<string | null>

  /** The purchase as it is now. */
  fetchPurchase(reference: PurchaseReference): Promise<FetchedPurchase>

  /**
   * Reads the sale from the signed address that a buyer returns to. Null if the processor signs none: each of its pages has an
   * address to return to.
   *
   * @throws ForgedEvent
   */
  readReturn(address: string): Promise<SignedSale | null>

  /**
   * Verifies an inbound webhook over its raw body and translates it into our terms.
   *
   * @throws ForgedEvent, MalformedEvent, ProcessorError
   */
  readEvent(inbound: Inbound): Promise<ProcessorEvent>
}

export type MethodName = keyof ProcessorMethods

/** What a method resolves to. */
export type MethodResult<Name extends MethodName> = Awaited<ReturnType<ProcessorMethods[Name]>>

/** The methods that every adapter has as they are, and those that it lacks where its `Capabilities` deny them. */
export type AdapterMethods = Pick<ProcessorMethods, 'openCheckout' | 'stopCharging' | 'endNow' | 'readEvent'> &
  Partial<Pick<ProcessorMethods, 'closeCheckout' | 'openPortal' | 'readReturn'>>
