// The RPC interface of the Worker `processors`. Error classes do not survive RPC, so failures are tagged values.
import type { SealedAccount } from './account.ts'
import type { MethodName, MethodResult, ProcessorMethods } from './methods.ts'
import type { ProcessorError } from './processor.ts'

/** The Worker `processors`, as the others call it. */
export interface ProcessorsRpc {
  /**
   * The account of the credentials, which are decrypted once, at the first call to it. `requestId` is that of the request that needs it,
   * for the log.
   */
  account(sealed: SealedAccount, requestId: string | null): AccountRpc
}

export interface AccountRpc extends Disposable {
  call<Name extends MethodName>(
    name: Name,
    ...parameters: Parameters<ProcessorMethods[Name]>
  ): Promise<RpcResult<MethodResult<Name>>>
}

export type RpcResult<Value> = { ok: true; value: Value } | { ok: false; failure: Failure }

/** `message` is logged: it contains nothing secret or personal. */
export type Failure =
  | { kind: ProcessorError['kind']; message: string; answered: boolean; retryAfter: number | null }
  | { kind: 'forged' | 'malformed' | 'unexpected'; message: string }
