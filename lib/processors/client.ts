import { currentRequestId } from '../log/log.ts'
import type { SealedAccount } from './account.ts'
import { ForgedEvent, MalformedEvent } from './event.ts'
import type { MethodName, MethodResult, ProcessorMethods } from './methods.ts'
import { ProcessorError } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'
import type { Failure, ProcessorsRpc, RpcResult } from './rpc.ts'

/** The binding of a Worker that has something asked of processors. */
export interface ProcessorEnv {
  PROCESSORS: Fetcher
}

/** An owner's account at its processor. Disposing of it does not end calls that are under way. */
export interface Processor extends ProcessorMethods, Disposable {
  readonly acquiring: ProcessorName
}

/** The processor of an account, reached through the Worker `processors`, which alone can open the credentials. */
export function processorFor(account: SealedAccount, env: ProcessorEnv): Processor {
  const { acquiring } = account
  // The types of a binding are not made of the Worker behind it.
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
    openPortal: method('openPortal'),
    fetchPurchase: method('fetchPurchase'),
    readReturn: method('readReturn'),
    readEvent: method('readEvent'),
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
