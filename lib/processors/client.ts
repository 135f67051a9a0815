import { currentRequestId } from '../log/log.ts'
import type { SealedAccount } from './account.ts'
import { InvalidSignature, MalformedEvent } from './event.ts'
import type { MethodName, MethodResult, ProcessorMethods } from './methods.ts'
import { ProcessorError } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'
import type { Failure, ProcessorsRpc, RpcResult } from './rpc.ts'

/** The binding of a Worker that calls processors. */
export interface ProcessorEnv {
  PROCESSORS: Fetcher
}

/** A paywall's processor. Disposing of it does not abort calls in flight. */
export interface Processor extends ProcessorMethods, Disposable {
  readonly acquiring: ProcessorName
}

/** The processor of an account, through the Worker `processors`, which alone can decrypt the credentials. */
export function processorFor(account: SealedAccount, env: ProcessorEnv): Processor {
  const { acquiring } = account
  // The generated type of a binding does not include the Worker's RPC methods.
  const rpc = (env.PROCESSORS as unknown as ProcessorsRpc).account(account, currentRequestId())
  const method =
    <Name extends MethodName>(name: Name) =>
    (...parameters: Parameters<ProcessorMethods[Name]>): Promise<MethodResult<Name>> =>
      unwrap(acquiring, rpc.call(name, ...parameters))
  return {
    acquiring,
    openCheckout: method('openCheckout'),
    closeCheckout: method('closeCheckout'),
    cancelAtPeriodEnd: method('cancelAtPeriodEnd'),
    stopCharging: method('stopCharging'),
    endNow: method('endNow'),
    previewPlanChange: method('previewPlanChange'),
    changePlan: method('changePlan'),
    discountSubscription: method('discountSubscription'),
    refundPayment: method('refundPayment'),
    openPortal: method('openPortal'),
    openReceipt: method('openReceipt'),
    fetchPurchase: method('fetchPurchase'),
    readReturn: method('readReturn'),
    readEvent: method('readEvent'),
    [Symbol.dispose]: () => rpc[Symbol.dispose](),
  }
}

/** If the Worker itself does not respond, the outcome of the call is unknown, as when a processor does not respond. */
async function unwrap<Value>(acquiring: ProcessorName, call: Promise<RpcResult<Value>>): Promise<Value> {
  const outcome = await call.catch((cause) => {
    throw new ProcessorError(acquiring, 'unavailable', 'the Worker processors did not respond', {
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
      return new InvalidSignature(failure.message)
    case 'malformed':
      return new MalformedEvent(failure.message)
    case 'unexpected':
      return new Error(`the Worker processors failed: ${failure.message}`)
  }
}
