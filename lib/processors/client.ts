import type { SealedAccount } from './account.ts'
import { ForgedEvent, type Inbound, MalformedEvent, type ProcessorEvent } from './event.ts'
import type { ObjectVersions } from './object-versions.ts'
import {
  type AcceptedCancellation,
  type CheckoutOrder,
  type FetchedPurchase,
  type HostedCheckout,
  ProcessorError,
  type PurchaseReference,
  type SignedSale,
} from './processor.ts'
import type { ProcessorName } from './processor-name.ts'
import type { Failure, ProcessorsRpc, RpcResult } from './rpc.ts'

/** The binding of a Worker that has something asked of processors. */
export interface ProcessorEnv {
  PROCESSORS: Fetcher
}

/**
 * What a paywall asks of its processor, in our terms. Ids are the processor's own, amounts are integers in the minor
 * units of ISO 4217, times are `Date`. Every method throws `ProcessorError`. Disposing of it ends nothing that is asked already.
 */
export interface Processor extends Disposable {
  readonly acquiring: ProcessorName

  /** Opens a hosted checkout. If the processor has idempotency, the same `order.key` never opens a second one. */
  openCheckout(order: CheckoutOrder): Promise<HostedCheckout>

  /**
   * Expires an open hosted page; does nothing to one that was paid or has expired. Whether the processor says that it has
   * expired: then it sold nothing, and never will. Always false where pages cannot be closed.
   */
  closeCheckout(pageId: string): Promise<boolean>

  /**
   * Stops renewal; the period that is paid for goes on to its end. A repeat is harmless. Not all processors store
   * `reason`. No read confirms it that has an older version of an object than `known`.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string, known: ObjectVersions): Promise<AcceptedCancellation>

  /** Makes sure that a subscription is never charged again: see `Adapter.stopCharging`. A repeat is harmless. */
  stopCharging(subscriptionId: string): Promise<void>

  /** Ends a subscription at once, whatever is paid. A repeat is harmless. */
  endNow(subscriptionId: string): Promise<void>

  /** A one-time URL of the customer's hosted portal, with a link back to `returnUrl`. Null if the processor has no portal. */
  openPortal(customer: string, returnUrl: string): Promise<string | null>

  /**
   * The sale that a buyer comes back from, by a signed address. Null if the processor signs none: each of its pages has an
   * address to return to.
   *
   * @throws ForgedEvent
   */
  readReturn(address: string): Promise<SignedSale | null>

  /** The purchase as it is now. */
  fetchPurchase(reference: PurchaseReference): Promise<FetchedPurchase>

  /**
   * Verifies an inbound webhook over its raw body and translates it into our terms.
   *
   * @throws ForgedEvent, MalformedEvent, ProcessorError
   */
  readEvent(inbound: Inbound): Promise<ProcessorEvent>
}

/** The processor of an account, reached through the Worker `processors`, which alone can open the credentials. */
export function processorFor(account: SealedAccount, env: ProcessorEnv): Processor {
  const { acquiring } = account
  // The types of a binding are not made of the Worker behind it.
  const rpc = (env.PROCESSORS as unknown as ProcessorsRpc).account(account)
  return {
    acquiring,
    openCheckout: (order) => unwrap(acquiring, rpc.openCheckout(order)),
    closeCheckout: (pageId) => unwrap(acquiring, rpc.closeCheckout(pageId)),
    cancelAtPeriodEnd: (id, reason, known) => unwrap(acquiring, rpc.cancelAtPeriodEnd(id, reason, known)),
    stopCharging: (id) => unwrap(acquiring, rpc.stopCharging(id)),
    endNow: (id) => unwrap(acquiring, rpc.endNow(id)),
    openPortal: (customer, returnUrl) => unwrap(acquiring, rpc.openPortal(customer, returnUrl)),
    fetchPurchase: (reference) => unwrap(acquiring, rpc.fetchPurchase(reference)),
    readReturn: (address) => unwrap(acquiring, rpc.readReturn(address)),
    readEvent: (inbound) => unwrap(acquiring, rpc.readEvent(inbound)),
    [Symbol.dispose]: () => rpc[Symbol.dispose](),
  }
}

/** If the Worker itself is out of reach, what became of the call is unknown, as when a processor does not answer. */
async function unwrap<Value>(acquiring: ProcessorName, call: Promise<RpcResult<Value>>): Promise<Value> {
  const outcome = await call.catch((cause) => {
    throw new ProcessorError(acquiring, 'unavailable', 'the Worker processors does not answer', {
      answered: false,
      cause,
    })
  })
  if (outcome.ok) return outcome.value
  throw toError(acquiring, outcome.failure)
}

function toError(acquiring: ProcessorName, failure: Failure): Error {
  switch (failure.kind) {
    case 'rejected':
    case 'unavailable':
    case 'misconfigured':
      return new ProcessorError(acquiring, failure.kind, failure.message, failure)
    case 'forged':
      return new ForgedEvent(failure.message)
    case 'malformed':
      return new MalformedEvent(failure.message)
    case 'unexpected':
      return new Error(`the Worker processors failed: ${failure.message}`)
  }
}
