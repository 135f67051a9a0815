import { RpcTarget } from 'cloudflare:workers'
import { log, withRequestId } from '../../lib/log/log.ts'
import { accountTime, type SealedAccount } from '../../lib/processors/account.ts'
import type { Adapter } from '../../lib/processors/adapter.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { InvalidSignature, MalformedEvent } from '../../lib/processors/event.ts'
import type { MethodName, MethodResult, ProcessorMethods } from '../../lib/processors/methods.ts'
import { ProcessorError } from '../../lib/processors/processor.ts'
import type { AccountRpc, Failure, RpcResult } from '../../lib/processors/rpc.ts'
import { cancelAndConfirm } from './cancel.ts'
import { openAdapter, type ProcessorsEnv } from './open-adapter.ts'
import { readWithRefunds } from './read-purchase.ts'

/** An owner's account at a processor, as the other Workers call it. Its credentials are decrypted once, at the first call. */
export class Account extends RpcTarget implements AccountRpc {
  readonly #sealed: SealedAccount
  readonly #requestId: string | null
  readonly #env: ProcessorsEnv
  #methods: Promise<ProcessorMethods> | undefined

  constructor(sealed: SealedAccount, requestId: string | null, env: ProcessorsEnv) {
    super()
    this.#sealed = sealed
    this.#requestId = requestId
    this.#env = env
  }

  call<Name extends MethodName>(name: Name, ...parameters: Parameters<ProcessorMethods[Name]>) {
    return withRequestId(this.#requestId, () => this.#call(name, parameters))
  }

  async #call<Name extends MethodName>(
    name: Name,
    parameters: Parameters<ProcessorMethods[Name]>,
  ): Promise<RpcResult<MethodResult<Name>>> {
    try {
      this.#methods ??= openAdapter(this.#sealed, this.#env).then((adapter) => methods(adapter, this.#sealed))
      const offered = await this.#methods
      if (!Object.hasOwn(offered, name)) throw new TypeError(`no method ${name}`)
      const method = offered[name] as (...of: typeof parameters) => Promise<MethodResult<Name>>
      return { ok: true, value: await method(...parameters) }
    } catch (error) {
      return { ok: false, failure: toFailure(error, this.#sealed) }
    }
  }

  [Symbol.dispose](): void {
    this.#methods = undefined
  }
}

/**
 * The methods that other Workers may call: the adapter's own, a fixed result for each that it lacks, and a cancellation that is confirmed in
 * the same way at every processor. No other property of the adapter can be reached.
 */
function methods(adapter: Adapter, sealed: SealedAccount): ProcessorMethods {
  const now = () => accountTime(sealed)
  const { openCheckout, stopCharging, endNow, readEvent } = adapter
  return {
    openCheckout,
    stopCharging,
    endNow,
    readEvent,
    closeCheckout: adapter.closeCheckout ?? (async () => false),
    previewPlanChange: adapter.previewPlanChange ?? (async () => null),
    changePlan: adapter.changePlan ?? (async () => null),
    discountSubscription: adapter.discountSubscription ?? (async () => null),
    refundPayment: adapter.refundPayment ?? (async () => null),
    openPortal: adapter.openPortal ?? (async () => null),
    openReceipt: adapter.openReceipt ?? (async () => null),
    readReturn: adapter.readReturn ?? (async () => null),
    fetchPurchase: (reference) => readWithRefunds(adapter, sealed.paywallId, reference, now),

    async cancelAtPeriodEnd(subscriptionId, reason, known) {
      const isReportedByWebhook = DEFINITIONS[sealed.acquiring].capabilities.sendsCancellationWebhook
      const cancellation = await cancelAndConfirm(adapter, sealed, { subscriptionId, reason, known, now })
      const { status, cancelAtPeriodEnd, cancelAt, canceledAt, versions } = cancellation
      return { status, cancelAtPeriodEnd, cancelAt, canceledAt, isReportedByWebhook, ...(versions && { versions }) }
    },
  }
}

/** Error classes do not survive RPC to another Worker, so the cause is logged here. */
function toFailure(error: unknown, { paywallId, acquiring }: SealedAccount): Failure {
  const fields = { paywall_id: paywallId, acquiring, cause: error }
  if (error instanceof ProcessorError) {
    if (error.cause !== undefined) log('warn', 'processor call failed', fields)
    // The message begins with the processor's name, which the caller adds again.
    const message = error.message.slice(`${error.acquiring}: `.length)
    return { kind: error.kind, message, answered: error.answered, retryAfter: error.retryAfter }
  }
  if (error instanceof InvalidSignature) return { kind: 'forged', message: error.message }
  if (error instanceof MalformedEvent) return { kind: 'malformed', message: error.message }
  log('error', 'unexpected failure', fields)
  return { kind: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}
