import type { AdapterMethods } from './methods.ts'
import type { ObjectVersions } from './object-versions.ts'
import type { Cancellation, PaymentFact, PurchaseReference, PurchaseSnapshot } from './processor.ts'

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
 * One processor. Every method that calls the processor throws `ProcessorError`.
 *
 * A purchase is read in three steps, so that what is decided can be tested on recorded replies: `observe` fetches and changes
 * nothing, `decide` is pure, `act` does one thing that is still to be done. After it, the purchase is observed again.
 */
export interface Adapter<Observed = unknown, Todo = unknown> extends AdapterMethods {
  /**
   * Stops renewal, as `ProcessorMethods` says. Resolves to the subscription of the processor's own reply, or to null if the reply
   * has none: then the purchase must be read.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string): Promise<Cancellation | null>

  /** All that the processor has of a purchase; null if it has nothing. Changes nothing there. */
  observe(reference: PurchaseReference): Promise<Observed | null>

  decide(observed: Observed, now: Date): Decision<Todo>

  /** Does what a decision asks for. It may have been done meanwhile by somebody else: that is no error. */
  act(todo: Todo): Promise<void>

  /** Which of these completed refunds have failed since. Missing where no refund fails, or every read of a purchase shows it. */
  failedRefunds?(ids: string[]): Promise<string[]>
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
