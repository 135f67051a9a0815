import { accountId, groupAccounts } from '../core/accounts.ts'
import type { ApiControls } from '../core/calls.ts'
import { answerControl } from '../core/controls.ts'
import type { Emulator, EmulatorOptions } from '../core/emulator.ts'
import { page } from '../core/html-responses.ts'
import { type Answer, type HttpRequest, serve } from '../core/server.ts'
import { openState } from '../core/state.ts'
import { createWebhooks } from '../core/webhooks.ts'
import { ACCOUNT_PREFIX, type Account, type StripeAccount } from './accounts.ts'
import { createStripeApi } from './api.ts'
import { expireIfDue, findSession, payLater } from './checkout.ts'
import { CONTROLS } from './controls.ts'
import type { Form } from './form.ts'
import { stripeFrontPage } from './front-page.ts'
import { hostedCheckout, unknownSession } from './hosted-checkout.ts'
import { hostedPortal, unknownPortal } from './hosted-portal.ts'
import { eventObject, type StripeEvent } from './objects/event.ts'
import { dispute, refund } from './payments.ts'
import { Records } from './records.ts'
import { renewSubscription, rollOver } from './renewals.ts'
import { createBooks } from './store.ts'
import { announceTrialEnd, cancelInPortal, cancelSubscription, resumeInPortal } from './subscriptions.ts'
import { webhookHeaders } from './webhook-headers.ts'

export type { StripeAccount }

/** A local Stripe: its API for the official SDK, hosted checkout and portal pages for people, signed webhooks for the service. */
export interface StripeEmulator extends Emulator<StripeEvent, Form> {
  /** Stripe's objects over all accounts, as they are now. */
  readonly sessions: StripeObject[]
  readonly subscriptions: StripeObject[]

  /**
   * Completes a session's page while its money is on its way: the subscription is `incomplete` until `renew` collects
   * it, or until `end`, which makes it `incomplete_expired`. `email` is the payer's, if the session knows none.
   */
  payLater(sessionId: string, email?: string): Promise<StripeObject>
  /** Begins the next period, which waits to be paid: see `renewals.ts`. */
  rollOver(subscriptionId: string): Promise<StripeObject>
  /** Collects what is owed, if need be after a roll-over. */
  renew(subscriptionId: string, options?: { fail?: boolean }): Promise<StripeObject>
  /** Ends a subscription now. */
  end(subscriptionId: string): Promise<StripeObject>
  trialWillEnd(subscriptionId: string): Promise<StripeObject>
  /** The customer cancels in Stripe's own portal: `cancel_at` is set and `cancel_at_period_end` stays false. */
  portalCancel(subscriptionId: string): Promise<StripeObject>
  /** The customer keeps, in Stripe's own portal, a subscription that was to end. */
  portalUndo(subscriptionId: string): Promise<StripeObject>
  /** Gives back `amount` minor units, or all that is left. */
  refund(paymentIntent: string, amount?: number): Promise<StripeObject>
  dispute(paymentIntent: string): Promise<StripeObject>
}

export type StripeObject = { id: string } & Record<string, unknown>

const EXPIRY_SWEEP_MS = 30_000

/** Starts on 127.0.0.1. */
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
  const books = createBooks({ state, accounts, webhooks, url: () => emulator.url })
  const controls: ApiControls<Form> = { calls: [], failures: [], onCall: () => emulator.onCall }
  const api = createStripeApi({ state, accounts, openLedger: books.openLedger, controls })

  async function handle(request: HttpRequest): Promise<Answer | null> {
    if (request.path.startsWith('/c/pay/')) return visitCheckout(request, request.path.slice('/c/pay/'.length))
    if (request.path.startsWith('/p/session/')) return visitPortal(request, request.path.slice('/p/session/'.length))
    if (request.path === '/') return page(200, await stripeFrontPage())
    if (request.path.startsWith('/_emulator/')) return answerControl(CONTROLS, emulator, request)
    return api(request)
  }

  async function visitCheckout(request: HttpRequest, sessionId: string): Promise<Answer> {
    const record = state.records.sessions.get(sessionId)
    if (!record) return unknownSession()
    const ledger = books.ledgerOf(record)
    const answer = await hostedCheckout(ledger, findSession(ledger, sessionId), request)
    await state.save()
    return answer
  }

  async function visitPortal(request: HttpRequest, sessionId: string): Promise<Answer> {
    const session = state.records.portalSessions.get(sessionId)
    if (!session) return unknownPortal()
    const answer = await hostedPortal(books.ledgerOf(session), session, request)
    await state.save()
    return answer
  }

  const sweep = setInterval(() => {
    for (const session of state.records.sessions.values()) {
      if (session.status === 'open') expireIfDue(books.ledgerOf(session), session)
    }
  }, EXPIRY_SWEEP_MS).unref()

  const server = await serve(options.port, handle)
  const emulator: StripeEmulator = {
    url: server.url,
    calls: controls.calls,
    get sessions() {
      return books.sessions()
    },
    get subscriptions() {
      return books.subscriptions()
    },
    get events() {
      return books.events()
    },
    payLater: (id, email = 'payer@example.com') => books.changeSession(id, (ledger) => payLater(ledger, id, email)),
    rollOver: (id) => books.changeSubscription(id, (ledger) => rollOver(ledger, id)),
    renew: (id, { fail = false } = {}) =>
      books.changeSubscription(id, (ledger) => renewSubscription(ledger, id, !fail)),
    end: (id) => books.changeSubscription(id, (ledger) => cancelSubscription(ledger, {}, id)),
    trialWillEnd: (id) => books.changeSubscription(id, (ledger) => announceTrialEnd(ledger, id)),
    portalCancel: (id) => books.changeSubscription(id, (ledger) => cancelInPortal(ledger, id)),
    portalUndo: (id) => books.changeSubscription(id, (ledger) => resumeInPortal(ledger, id)),
    refund: (id, amount) =>
      books.changePayment(id, (ledger) =>
        refund(ledger, { payment_intent: id, ...(amount !== undefined && { amount }) }),
      ),
    dispute: (id) => books.changePayment(id, (ledger) => dispute(ledger, id)),
    ...webhooks.controls,
    failNext: (path, status, body = { error: { type: 'api_error', message: 'An error was ordered.' } }) => {
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
