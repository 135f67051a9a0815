import { accountId, groupAccounts } from '../core/accounts.ts'
import type { ApiControls } from '../core/calls.ts'
import { runControl } from '../core/controls.ts'
import type { EmulatorOptions } from '../core/emulator.ts'
import { page } from '../core/html-responses.ts'
import { runEmulator } from '../core/run-emulator.ts'
import type { HttpRequest, HttpResponse } from '../core/server.ts'
import { openState } from '../core/state.ts'
import { createWebhooks } from '../core/webhooks.ts'
import type { AccountContext } from './account-context.ts'
import { ACCOUNT_PREFIX, type Account, type StripeAccount } from './accounts.ts'
import { createStripeApi } from './api.ts'
import { expireIfDue, findSession, payLater } from './checkout.ts'
import { CONTROLS } from './controls.ts'
import { resolvePayment } from './delayed-payments.ts'
import type { StripeEmulator } from './emulator.ts'
import type { Form } from './form.ts'
import { stripeFrontPage } from './front-page.ts'
import { hostedCheckout, unknownSession } from './hosted-checkout.ts'
import { hostedPortal, unknownPortal } from './hosted-portal.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { eventObject } from './objects/event.ts'
import { paymentIntentObject } from './objects/payment.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { dispute, refund } from './payments.ts'
import { Records, type SubscriptionRecord } from './records.ts'
import { markUnpaid, renewSubscription, rollOver } from './renewals.ts'
import { createStore } from './store.ts'
import { announceTrialEnd, cancelInPortal, cancelSubscription, resumeInPortal } from './subscriptions.ts'
import { webhookHeaders } from './webhook-headers.ts'

/**
 * Starts Stripe's emulator on 127.0.0.1: reads the kept records; joins webhooks, store and API over them; serves API,
 * hosted pages and controls at one address; then sends the webhooks that the last run did not deliver.
 */
export async function startStripeEmulator(options: EmulatorOptions<StripeAccount>): Promise<StripeEmulator> {
  const state = await openState(Records, 'Stripe', options.statePath)
  const idOf = ({ secretKey }: StripeAccount) => accountId(ACCOUNT_PREFIX, secretKey)
  const accounts = (): Map<string, Account> => groupAccounts(options.accounts(), idOf)
  const webhooks = createWebhooks({
    processor: 'stripe',
    state,
    accounts,
    serviceUrl: options.serviceUrl,
    ...(options.fetch && { fetch: options.fetch }),
    eventObject,
    headers: webhookHeaders,
  })
  const store = createStore({ state, accounts, webhooks, url: () => emulator.url })
  const controls: ApiControls<Form> = { calls: [], failures: [], onCall: () => emulator.onCall }
  const api = createStripeApi({ state, accounts, openContext: store.openContext, controls })

  async function handle(request: HttpRequest): Promise<HttpResponse | null> {
    if (request.path.startsWith('/c/pay/')) return visitCheckout(request, request.path.slice('/c/pay/'.length))
    if (request.path.startsWith('/p/session/')) return visitPortal(request, request.path.slice('/p/session/'.length))
    if (request.path === '/') return page(200, await stripeFrontPage())
    if (request.path.startsWith('/_emulator/')) return runControl(CONTROLS, emulator, request)
    return api(request)
  }

  async function visitCheckout(request: HttpRequest, checkoutSessionId: string): Promise<HttpResponse> {
    const record = state.records.sessions.get(checkoutSessionId)
    if (!record) return unknownSession()
    const context = store.contextOf(record)
    const response = await hostedCheckout(context, findSession(context, checkoutSessionId), request)
    await state.save()
    return response
  }

  async function visitPortal(request: HttpRequest, portalSessionId: string): Promise<HttpResponse> {
    const session = state.records.portalSessions.get(portalSessionId)
    if (!session) return unknownPortal()
    const response = await hostedPortal(store.contextOf(session), session, request)
    await state.save()
    return response
  }

  function expirePages(): void {
    for (const session of state.records.sessions.values()) {
      if (session.status === 'open') expireIfDue(store.contextOf(session), session)
    }
  }

  const changeSubscription = (id: string, apply: (context: AccountContext) => SubscriptionRecord) =>
    store.change('subscriptions', id, (context) => subscriptionObject(apply(context)))

  const { url, close } = await runEmulator({ port: options.port, handle, expirePages, webhooks, state })
  const emulator: StripeEmulator = {
    url,
    calls: controls.calls,
    get checkoutSessions() {
      return store.checkoutSessions()
    },
    get subscriptions() {
      return store.subscriptions()
    },
    get events() {
      return store.events()
    },
    payLater: (id, email = 'payer@example.com') =>
      store.change('sessions', id, (context) =>
        checkoutSessionObject(payLater(context, findSession(context, id), email), context.url),
      ),
    resolvePayment: (id, { fail = false } = {}) =>
      store.change('payments', id, (context) => paymentIntentObject(resolvePayment(context, id, !fail))),
    rollOver: (id) => changeSubscription(id, (context) => rollOver(context, id)),
    renew: (id, { fail = false } = {}) => changeSubscription(id, (context) => renewSubscription(context, id, !fail)),
    markUnpaid: (id) => changeSubscription(id, (context) => markUnpaid(context, id)),
    end: (id) => changeSubscription(id, (context) => cancelSubscription(context, {}, id)),
    trialWillEnd: (id) => changeSubscription(id, (context) => announceTrialEnd(context, id)),
    portalCancel: (id) => changeSubscription(id, (context) => cancelInPortal(context, id)),
    portalUndo: (id) => changeSubscription(id, (context) => resumeInPortal(context, id)),
    refund: (id, amount) =>
      store.change('payments', id, (context) =>
        refund(context, { payment_intent: id, ...(amount !== undefined && { amount }) }),
      ),
    dispute: (id) => store.change('payments', id, (context) => dispute(context, id)),
    ...webhooks.controls,
    failNext: (path, status, body = { error: { type: 'api_error', message: 'An error was ordered.' } }) => {
      controls.failures.push({ path, status, body })
    },
    close,
  }
  webhooks.resume()
  return emulator
}
