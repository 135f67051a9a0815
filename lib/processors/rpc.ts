// What the Worker `processors` answers over its service binding. No class of error crosses it: what fails is tagged.
import type { SealedAccount } from './account.ts'
import type { Inbound, ProcessorEvent } from './event.ts'
import type { ObjectVersions } from './object-versions.ts'
import type {
  AcceptedCancellation,
  CheckoutOrder,
  FetchedPurchase,
  HostedCheckout,
  ProcessorError,
  PurchaseReference,
  SignedSale,
} from './processor.ts'

/** The Worker `processors`, as the others call it. */
export interface ProcessorsRpc {
  /** The account that the credentials open. They are opened once, at the first call to it. */
  account(sealed: SealedAccount): AccountRpc
}

export interface AccountRpc extends Disposable {
  openCheckout(order: CheckoutOrder): Promise<RpcResult<HostedCheckout>>
  closeCheckout(pageId: string): Promise<RpcResult<boolean>>
  cancelAtPeriodEnd(
    subscriptionId: string,
    reason: string,
    known: ObjectVersions,
  ): Promise<RpcResult<AcceptedCancellation>>
  stopCharging(subscriptionId: string): Promise<RpcResult<void>>
  endNow(subscriptionId: string): Promise<RpcResult<void>>
  openPortal(customer: string, returnUrl: string): Promise<RpcResult<string | null>>
  fetchPurchase(reference: PurchaseReference): Promise<RpcResult<FetchedPurchase>>
  readReturn(address: string): Promise<RpcResult<SignedSale | null>>
  readEvent(inbound: Inbound): Promise<RpcResult<ProcessorEvent>>
}

export type RpcResult<Value> = { ok: true; value: Value } | { ok: false; failure: Failure }

/** `message` goes into the log: it quotes nothing secret or personal. */
export type Failure =
  | { kind: ProcessorError['kind']; message: string; answered: boolean; retryAfter: number | null }
  | { kind: 'forged' | 'malformed' | 'unexpected'; message: string }
