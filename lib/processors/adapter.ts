import type { AdapterMethods } from './methods.ts'
import type { ObjectVersions } from './object-versions.ts'
import type { Cancellation, PaymentFact, PurchaseReference, PurchaseSnapshot } from './processor.ts'

/** What an adapter needs besides the owner's credentials. */
export interface AdapterOptions {
  /** Overrides the origin of the processor's API, for example with an emulator's. */
  base: string | null
  /** Whether the account belongs to a test paywall, for processors with separate hosts for test and live. */
  isTest: boolean
  /** The paywall's webhook URL, for processors that accept one per call; null if the service does not know its own origin. */
  webhookUrl?: string | null
  fetch: typeof fetch
  now: () => Date
}

/**
 * One processor behind a common interface. Every method that calls the processor throws `ProcessorError`.
 *
 * A purchase is read in three steps, so that decisions can be tested on recorded replies: `observe` fetches and changes nothing, `decide`
 * is pure, `act` performs one pending action. After it, the purchase is observed again.
 */
export interface Adapter<Observed = unknown, Todo = unknown> extends AdapterMethods {
  /**
   * Stops renewal, as `ProcessorMethods` says. Resolves to the subscription of the processor's own reply, or to null if the reply
   * has none: then the purchase must be read.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string): Promise<Cancellation | null>

  /** Fetches everything that the processor has about a purchase; null if there is nothing. Changes nothing there. */
  observe(reference: PurchaseReference): Promise<Observed | null>

  decide(observed: Observed, now: Date): Decision<Todo>

  /** Performs the action of a decision. Another caller may have performed it meanwhile, which is no error. */
  act(todo: Todo): Promise<void>

  /** Returns which of these completed refunds have failed since. Absent if refunds cannot fail, or if every read of a purchase shows it. */
  failedRefunds?(ids: string[]): Promise<string[]>
}

export interface Decision<Todo> {
  /** Null if nothing was bought yet, or if another system sold it. */
  found: Found | null
  /** Whether a hosted page without a purchase may still lead to one: its payment has not failed, been cancelled or expired. */
  isUndecided: boolean
  /** The pending action at the processor; null if there is none. */
  todo: Todo | null
  /** Whether `found` is right before the action, too: then it is stored even while the processor is unavailable for the action. */
  mayActLater?: boolean
  /** The versions of all objects that were observed: see `FetchedPurchase.versions`. */
  versions?: ObjectVersions
  /** The money facts that were observed, where webhooks do not carry them: see `FetchedPurchase.payments`. */
  payments?: PaymentFact[]
  /** The receipt of a one-time purchase: see `FetchedPurchase.receiptUrl`. */
  receiptUrl?: string
}

export interface Found {
  /** The paywall that sold it; null if the processor does not store that: then its checkout determines it. */
  paywallId: string | null
  purchase: PurchaseSnapshot
}
