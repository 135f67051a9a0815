import type { Inbound, ProcessorEvent } from './event.ts'
import type { ObjectVersions } from './object-versions.ts'
import type {
  Cancellation,
  CheckoutOrder,
  HostedCheckout,
  PaymentFact,
  PurchaseReference,
  PurchaseSnapshot,
  SignedSale,
} from './processor.ts'

/** What an adapter is made with, besides the owner's credentials. */
export interface AdapterOptions {
  /** The origin of the processor's API instead of its own, such as an emulator's. */
  base: string | null
  /** Whether it is an account of a test paywall, for processors that keep test and live apart by address. */
  isTest: boolean
  /** The paywall's address for webhooks, where processors take one with each call; null: the service does not know its own. */
  webhookUrl?: string | null
  fetch: typeof fetch
  now: () => Date
}

/**
 * One processor, in our terms. Ids are the processor's own, amounts are integers in the minor units of ISO 4217, times are
 * `Date`. Every method that calls the processor throws `ProcessorError`. What its `Capabilities` deny, an adapter lacks.
 *
 * A purchase is read in three steps, so that what is decided can be tested on recorded replies: `observe` fetches and changes
 * nothing, `decide` is pure, `act` does one thing that is still to be done. After it, the purchase is observed again.
 */
export interface Adapter<Observed = unknown, Todo = unknown> {
  /** Opens a hosted checkout. If the processor has idempotency, the same `order.key` never opens a second one. */
  openCheckout(order: CheckoutOrder): Promise<HostedCheckout>

  /**
   * Expires an open hosted page; does nothing to one that was paid or has expired. Whether the processor says that it has
   * expired: then it sold nothing, and never will.
   */
  closeCheckout?(pageId: string): Promise<boolean>

  /**
   * Stops renewal; the period that is paid for goes on to its end. A repeat is harmless. Not all store `reason`. Gives the
   * subscription of the processor's own reply; null: the reply has none, so it must be read what came of it.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string): Promise<Cancellation | null>

  /**
   * Makes sure that a subscription is never charged again. One that is paid up, or on trial, ends with its period, without a
   * charge. One that is past due, unpaid or paused ends at once, after its open invoice, if there is one, is voided; if that
   * is refused because it was just paid, the subscription ends with its period. A repeat is harmless.
   */
  stopCharging(subscriptionId: string): Promise<void>

  /** Ends a subscription at once, whatever is paid. Open invoices are voided. A repeat is harmless. */
  endNow(subscriptionId: string): Promise<void>

  /** A one-time URL of the customer's hosted portal, with a link back to `returnUrl`. */
  openPortal?(customer: string, returnUrl: string): Promise<string>

  /**
   * The sale that a buyer comes back from, where the processor knows one address to return to and signs it.
   *
   * @throws ForgedEvent
   */
  readReturn?(address: string): Promise<SignedSale>

  /** All that the processor has of a purchase; null if it has nothing. Changes nothing there. */
  observe(reference: PurchaseReference): Promise<Observed | null>

  decide(observed: Observed, now: Date): Decision<Todo>

  /** Does what a decision asks for. It may have been done meanwhile by somebody else: that is no error. */
  act(todo: Todo): Promise<void>

  /** Which of these completed refunds have failed since. Missing where no refund fails, or every read of a purchase shows it. */
  failedRefunds?(ids: string[]): Promise<string[]>

  /**
   * Verifies an inbound webhook over its raw body and translates it into our terms.
   *
   * @throws ForgedEvent, MalformedEvent, ProcessorError
   */
  readEvent(inbound: Inbound): Promise<ProcessorEvent>
}

export interface Decision<Todo> {
  /** Null if nothing was bought yet, or if another system sold it. */
  found: Found | null
  /** Whether a hosted page without a purchase may still lead to one: its payment has not failed, been cancelled or expired. */
  isUndecided: boolean
  /** What is still to be done at the processor; null: nothing. */
  todo: Todo | null
  /** The versions of all objects that were observed: see `FetchedPurchase.versions`. */
  versions?: ObjectVersions
  /** The money facts that were observed, where webhooks do not carry them: see `FetchedPurchase.payments`. */
  payments?: PaymentFact[]
}

export interface Found {
  /** The paywall that sold it; null if the processor does not keep that: then its checkout tells. */
  paywallId: string | null
  purchase: PurchaseSnapshot
}
