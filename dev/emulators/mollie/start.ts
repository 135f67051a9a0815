import { groupAccounts } from '../core/accounts.ts'
import type { ApiControls } from '../core/calls.ts'
import { runControl } from '../core/controls.ts'
import type { EmulatorOptions } from '../core/emulator.ts'
import { page } from '../core/html-responses.ts'
import { runEmulator } from '../core/run-emulator.ts'
import type { HttpRequest, HttpResponse } from '../core/server.ts'
import { openState } from '../core/state.ts'
import { createWebhooks } from '../core/webhooks.ts'
import type { AccountContext } from './account-context.ts'
import { type Account, idOfKey, type MollieAccount } from './accounts.ts'
import { createMollieApi } from './api.ts'
import { CONTROLS } from './controls.ts'
import type { MollieEmulator } from './emulator.ts'
import { errorBody } from './errors.ts'
import { mollieFrontPage } from './front-page.ts'
import { hostedCheckout, unknownPayment } from './hosted-checkout.ts'
import { eventObject } from './objects/event.ts'
import { paymentObject } from './objects/payment.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { expireIfDue, expirePayment, findOpen, findPayment, payLater, resolvePayment } from './payments.ts'
import { type PaymentRecord, Records, type SubscriptionRecord } from './records.ts'
import { chargeBack, refundPart } from './refunds.ts'
import { createStore } from './store.ts'
import { elapse, renewSubscription, suspendSubscription } from './time.ts'
import { webhookHeaders } from './webhook-headers.ts'

/**
 * Starts Mollie's emulator on 127.0.0.1: reads the kept records; joins webhooks, store and API over them; serves API,
 * hosted pages and controls at one address; then sends the webhooks that the last run did not deliver.
 */
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
  const store = createStore({
    state,
    accounts,
    webhooks,
    url: () => emulator.url,
    slowMandates: () => emulator.slowMandates,
  })
  const controls: ApiControls = { calls: [], failures: [], onCall: () => emulator.onCall }
  const api = createMollieApi({ state, accounts, openContext: store.openContext, controls })

  async function handle(request: HttpRequest): Promise<HttpResponse | null> {
    if (request.path.startsWith('/checkout/')) return visitCheckout(request, request.path.slice('/checkout/'.length))
    if (request.path === '/') return page(200, await mollieFrontPage())
    if (request.path.startsWith('/_emulator/')) return runControl(CONTROLS, emulator, request)
    return api(request)
  }

  async function visitCheckout(request: HttpRequest, paymentId: string): Promise<HttpResponse> {
    const record = payments.get(paymentId)
    if (!record) return unknownPayment()
    const context = store.contextOf(record)
    const response = await hostedCheckout(context, findPayment(context, paymentId), request)
    await state.save()
    return response
  }

  function expirePages(): void {
    for (const payment of payments.values()) {
      if (payment.status === 'open') expireIfDue(store.contextOf(payment), payment)
    }
  }

  const changePayment = (id: string, apply: (context: AccountContext) => PaymentRecord) =>
    store.change('payment', id, (context) => paymentObject(context, apply(context)))

  const changeSubscription = (id: string, apply: (context: AccountContext) => SubscriptionRecord) =>
    store.change('subscription', id, (context) => subscriptionObject(apply(context), context.url))

  const { url, close } = await runEmulator({ port: options.port, handle, expirePages, webhooks, state })
  const emulator: MollieEmulator = {
    url,
    calls: controls.calls,
    slowMandates: false,
    get payments() {
      return store.payments()
    },
    get subscriptions() {
      return store.subscriptions()
    },
    get events() {
      return store.events()
    },
    payLater: (id) => changePayment(id, (context) => payLater(context, findOpen(context, id))),
    resolvePayment: (id, { fail = false } = {}) => changePayment(id, (context) => resolvePayment(context, id, !fail)),
    expire: (id) => changePayment(id, (context) => expirePayment(context, id)),
    refund: (id, value) =>
      store.change('payment', id, (context) => refundObject(refundPart(context, id, value), context.url)),
    chargeback: (id) =>
      store.change('payment', id, (context) => chargebackObject(chargeBack(context, id), context.url)),
    renew: (id, { fail = false, pending = false } = {}) => {
      const outcome = pending ? 'pending' : fail ? 'failed' : 'paid'
      return store.change('subscription', id, (context) =>
        paymentObject(context, renewSubscription(context, id, outcome)),
      )
    },
    suspend: (id) => changeSubscription(id, (context) => suspendSubscription(context, id)),
    elapse: (id, days) => changeSubscription(id, (context) => elapse(context, id, days)),
    forgetKeys: () => state.records.replies.clear(),
    ...webhooks.controls,
    failNext: (path, status, body = errorBody(status, 'An error was ordered.')) => {
      controls.failures.push({ path, status, body })
    },
    close,
  }
  webhooks.resume()
  return emulator
}
