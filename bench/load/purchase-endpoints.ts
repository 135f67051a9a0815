import { createHmac, randomUUID } from 'node:crypto'
import { api, type Endpoint, newEmail, post } from './endpoint.ts'
import { RETURN_URLS } from './paywall-file.ts'
import type { Person } from './scene.ts'

/** The endpoints of a purchase. */
export const PURCHASE_ENDPOINTS: Endpoint[] = [
  {
    name: 'start-checkout',
    request: (scene) =>
      post(
        `${api(scene)}/start-checkout`,
        { email: newEmail(), priceId: scene.priceId, ...RETURN_URLS },
        { 'x-api-key': scene.key, 'idempotency-key': randomUUID() },
      ),
  },
  {
    // A checkout completes only once. Returning to a completed one can be repeated, but calls no processor. The processor
    // webhook below fetches and stores a purchase as the first return does.
    name: 'checkout return, completed',
    expected: 303,
    request: (_scene, { checkoutId }) => ({ method: 'GET', path: `/r/${checkoutId}/success` }),
  },
  {
    name: 'processor webhook',
    callsProcessor: true,
    request({ paywallId, webhookSecret }, person) {
      const event = JSON.stringify(sessionCompleted(person))
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature(event, webhookSecret) }
      return { method: 'POST', path: `/webhooks/stripe/${paywallId}`, headers, body: event }
    },
  },
  {
    // A subscription ends only once. Its refusal can be repeated, and runs the same statement.
    name: 'cancel, refused',
    expected: 404,
    request: ({ key, paywallId }, { id }) =>
      post(
        '/api/paywall/cancel-subscription',
        { subscriptionId: randomUUID(), paywallId, userId: id, cancellationReason: 'bench' },
        { 'x-api-key': key },
      ),
  },
  {
    name: 'customer portal',
    callsProcessor: true,
    request: (scene, { email }) => post(`${api(scene)}/get-customer-portal`, { email }, { 'x-api-key': scene.key }),
  },
]

/** A new Stripe event about a paid hosted page, whose purchase is fetched and stored again. */
const sessionCompleted = ({ hostedPageId }: Person) => ({
  id: `evt_${randomUUID()}`,
  type: 'checkout.session.completed',
  created: Math.floor(Date.now() / 1000),
  data: {
    object: {
      id: hostedPageId,
      mode: 'subscription',
      payment_status: 'paid',
      payment_intent: null,
      amount_total: 999,
      currency: 'usd',
    },
  },
})

/** Stripe's signature: HMAC-SHA256 of time and body. */
function signature(body: string, secret: string): string {
  const at = Math.floor(Date.now() / 1000)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
