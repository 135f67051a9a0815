import { groupAccounts } from '../core/accounts.ts'
import type { ApiControls } from '../core/calls.ts'
import { answerControl } from '../core/controls.ts'
import type { Emulator, EmulatorOptions } from '../core/emulator.ts'
import { page } from '../core/html-responses.ts'
import { type Answer, type HttpRequest, serve } from '../core/server.ts'
import { openState } from '../core/state.ts'
import { createWebhooks } from '../core/webhooks.ts'
import { type Account, idOfKey, type MollieAccount } from './accounts.ts'
import { createMollieApi } from './api.ts'
import { CONTROLS } from './controls.ts'
import { errorBody } from './errors.ts'
import { mollieFrontPage } from './front-page.ts'
import { hostedCheckout, unknownPayment } from './hosted-checkout.ts'
import { eventObject, type MollieEvent } from './objects/event.ts'
import { paymentObject } from './objects/payment.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { expireIfDue, expirePayment, findOpen, findPayment, payLater, settlePayment } from './payments.ts'
import { Records } from './records.ts'
import { chargeBack, refundPart } from './refunds.ts'
import { createBooks } from './store.ts'
import { elapse, renewSubscription, suspendSubscription } from './time.ts'
import { webhookHeaders } from './webhook-headers.ts'

export type { MollieAccount }

/** A local Mollie: its API for the official SDK, hosted checkout pages for people, signed webhooks for the service. */
export interface MollieEmulator extends Emulator<MollieEvent, unknown> {
  /** Mollie's objects over all accounts, as they are now. */
  readonly payments: MollieObject[]
  readonly subscriptions: MollieObject[]

  /** Completes an open payment's page while its money is on its way: `pending`, until `settle`. */
  payLater(paymentId: string): Promise<MollieObject>
  /** What became of a pending payment. */
  settle(paymentId: string, options?: { fail?: boolean }): Promise<MollieObject>
  /** Closes the page of an open payment. */
  expire(paymentId: string): Promise<MollieObject>
  /** Gives back decimal text of the payment's currency, or all that is left. Resolves to the refund. */
  refund(paymentId: string, amount?: string): Promise<MollieObject>
  /** The payer's bank takes the payment back. Resolves to the chargeback. */
  chargeback(paymentId: string): Promise<MollieObject>
  /**
   * Charges the subscription for its next payment date, as if that day had come: see `time.ts`. `pending`: its money
   * takes its time, until `settle`. Resolves to the payment.
   */
  renew(subscriptionId: string, options?: { fail?: boolean; pending?: boolean }): Promise<MollieObject>
  /** The mandate dies: the subscription is `suspended` and has no next payment date. */
  suspend(subscriptionId: string): Promise<MollieObject>
  /**
   * As if everything about a subscription (its dates and its payments', those of the first payment included) had
   * happened so many days earlier.
   */
  elapse(subscriptionId: string, days: number): Promise<MollieObject>
  /** While set, mandates made since are `pending` and no subscription can be created on them; after, they are valid. */
  slowMandates: boolean
  /** An hour passes for idempotency keys: none is kept any more. */
  forgetKeys(): void
}

export type MollieObject = { id: string } & Record<string, unknown>

const EXPIRY_SWEEP_MS = 30_000

/** Starts on 127.0.0.1. */
export async function startMollieEmulator(options: EmulatorOptions<MollieAccount>): Promise<MollieEmulator> {
  const state = await openState(Records, 'Mollie', options.statePath)
  const { payments } = state.records
  const accounts = (): Map<string, Account> => groupAccounts(options.accounts(), ({ apiKey }) => idOfKey(apiKey))
  const webhooks = createWebhooks({
    processor: 'mollie',
    state,
    accounts,
    serviceUrl: options.serviceUrl,
    ...(options.fetch && { fetch: options.fetch }),
    eventObject: (event) => eventObject(event, emulator.url),
    headers: webhookHeaders,
  })
  const books = createBooks({
    state,
    accounts,
    webhooks,
    url: () => emulator.url,
    slowMandates: () => emulator.slowMandates,
  })
  const controls: ApiControls = { calls: [], failures: [], onCall: () => emulator.onCall }
  const api = createMollieApi({ state, accounts, openLedger: books.openLedger, controls })

  async function handle(request: HttpRequest): Promise<Answer | null> {
    if (request.path.startsWith('/checkout/')) return visitCheckout(request, request.path.slice('/checkout/'.length))
    if (request.path === '/') return page(200, await mollieFrontPage())
    if (request.path.startsWith('/_emulator/')) return answerControl(CONTROLS, emulator, request)
    return api(request)
  }

  async function visitCheckout(request: HttpRequest, paymentId: string): Promise<Answer> {
    const record = payments.get(paymentId)
    if (!record) return unknownPayment()
    const ledger = books.ledgerOf(record)
    const answer = await hostedCheckout(ledger, findPayment(ledger, paymentId), request)
    await state.save()
    return answer
  }

  const sweep = setInterval(() => {
    for (const payment of payments.values()) {
      if (payment.status === 'open') expireIfDue(books.ledgerOf(payment), payment)
    }
  }, EXPIRY_SWEEP_MS).unref()

  const server = await serve(options.port, handle)
  const emulator: MollieEmulator = {
    url: server.url,
    calls: controls.calls,
    slowMandates: false,
    get payments() {
      return books.payments()
    },
    get subscriptions() {
      return books.subscriptions()
    },
    get events() {
      return books.events()
    },
    payLater: (id) =>
      books.change('payment', id, (ledger) => paymentObject(ledger, payLater(ledger, findOpen(ledger, id)))),
    settle: (id, { fail = false } = {}) =>
      books.change('payment', id, (ledger) => paymentObject(ledger, settlePayment(ledger, id, !fail))),
    expire: (id) => books.change('payment', id, (ledger) => paymentObject(ledger, expirePayment(ledger, id))),
    refund: (id, value) =>
      books.change('payment', id, (ledger) => refundObject(refundPart(ledger, id, value), ledger.url)),
    chargeback: (id) => books.change('payment', id, (ledger) => chargebackObject(chargeBack(ledger, id), ledger.url)),
    renew: (id, { fail = false, pending = false } = {}) => {
      const charge = pending ? 'pending' : fail ? 'failed' : 'paid'
      return books.change('subscription', id, (ledger) => paymentObject(ledger, renewSubscription(ledger, id, charge)))
    },
    suspend: (id) =>
      books.change('subscription', id, (ledger) => subscriptionObject(suspendSubscription(ledger, id), ledger.url)),
    forgetKeys: () => state.records.replies.clear(),
    elapse: (id, days) =>
      books.change('subscription', id, (ledger) => subscriptionObject(elapse(ledger, id, days), ledger.url)),
    ...webhooks.controls,
    failNext: (path, status, body = errorBody(status, 'An error was ordered.')) => {
      controls.failures.push({ path, status, body })
    },
    async close() {
      clearInterval(sweep)
      await server.close()
      await webhooks.close()
      await state.save()
    },
  }
  webhooks.resume()
  return emulator
}
