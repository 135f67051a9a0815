import { RpcTarget } from 'cloudflare:workers'
import { log } from '../../lib/http/log.ts'
import { accountTime, type SealedAccount } from '../../lib/processors/account.ts'
import type { Adapter } from '../../lib/processors/adapter.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { ForgedEvent, type Inbound, MalformedEvent } from '../../lib/processors/event.ts'
import type { ObjectVersions } from '../../lib/processors/object-versions.ts'
import { type CheckoutOrder, ProcessorError, type PurchaseReference } from '../../lib/processors/processor.ts'
import type { AccountRpc, Failure, RpcResult } from '../../lib/processors/rpc.ts'
import { cancelAndConfirm } from './cancel.ts'
import { openAdapter, type ProcessorsEnv } from './open-adapter.ts'
import { readWithRefunds } from './read-purchase.ts'

/** An owner's account at a processor, as the other Workers hold it. Its credentials are opened once, at the first call. */
export class Account extends RpcTarget implements AccountRpc {
  readonly #sealed: SealedAccount
  readonly #env: ProcessorsEnv
  #adapter: Promise<Adapter> | undefined

  constructor(sealed: SealedAccount, env: ProcessorsEnv) {
    super()
    this.#sealed = sealed
    this.#env = env
  }

  openCheckout(order: CheckoutOrder) {
    return this.#ask((adapter) => adapter.openCheckout(order))
  }

  closeCheckout(pageId: string) {
    return this.#ask(async (adapter) => (await adapter.closeCheckout?.(pageId)) ?? false)
  }

  cancelAtPeriodEnd(subscriptionId: string, reason: string, known: ObjectVersions) {
    const isTold = DEFINITIONS[this.#sealed.acquiring].capabilities.sendsCancellationWebhook
    const now = () => accountTime(this.#sealed)
    return this.#ask(async (adapter) => {
      const cancellation = await cancelAndConfirm(adapter, this.#sealed, { subscriptionId, reason, known, now })
      const { status, cancelAtPeriodEnd, cancelAt, canceledAt, versions } = cancellation
      return { status, cancelAtPeriodEnd, cancelAt, canceledAt, isTold, ...(versions && { versions }) }
    })
  }

  stopCharging(subscriptionId: string) {
    return this.#ask((adapter) => adapter.stopCharging(subscriptionId))
  }

  endNow(subscriptionId: string) {
    return this.#ask((adapter) => adapter.endNow(subscriptionId))
  }

  openPortal(customer: string, returnUrl: string) {
    return this.#ask(async (adapter) => (await adapter.openPortal?.(customer, returnUrl)) ?? null)
  }

  fetchPurchase(reference: PurchaseReference) {
    return this.#ask((adapter) =>
      readWithRefunds(adapter, this.#sealed.paywallId, reference, () => accountTime(this.#sealed)),
    )
  }

  readReturn(address: string) {
    return this.#ask(async (adapter) => (await adapter.readReturn?.(address)) ?? null)
  }

  readEvent(inbound: Inbound) {
    return this.#ask((adapter) => adapter.readEvent(inbound))
  }

  [Symbol.dispose](): void {
    this.#adapter = undefined
  }

  async #ask<Value>(call: (adapter: Adapter) => Promise<Value>): Promise<RpcResult<Value>> {
    try {
      this.#adapter ??= openAdapter(this.#sealed, this.#env)
      return { ok: true, value: await call(await this.#adapter) }
    } catch (error) {
      return { ok: false, failure: toFailure(error, this.#sealed) }
    }
  }
}

/** A class of error does not cross to another Worker, so its cause is logged here, where it is known. */
function toFailure(error: unknown, { paywallId, acquiring }: SealedAccount): Failure {
  const fields = { paywall_id: paywallId, acquiring, cause: error }
  if (error instanceof ProcessorError) {
    if (error.cause !== undefined) log('warn', 'a processor call failed', fields)
    // Its message begins with the processor's name, which the caller puts there anew.
    const message = error.message.slice(`${error.acquiring}: `.length)
    return { kind: error.kind, message, answered: error.answered, retryAfter: error.retryAfter }
  }
  if (error instanceof ForgedEvent) return { kind: 'forged', message: error.message }
  if (error instanceof MalformedEvent) return { kind: 'malformed', message: error.message }
  log('error', 'unexpected failure', fields)
  return { kind: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}
