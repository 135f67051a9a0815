import Stripe from 'stripe'
import type { StripeAccount } from '../../../../dev/emulators/stripe/accounts.ts'
import type { StripeEmulator } from '../../../../dev/emulators/stripe/emulator.ts'
import { startStripeEmulator } from '../../../../dev/emulators/stripe/emulator.ts'
import { receiveWebhooks, startTestEmulator, type TestEmulatorOptions } from '../../emulator-fixture.ts'

const PRICES: StripeAccount['prices'] = [
  { id: 'price_month', label: 'Monthly', currency: 'usd', amount: 999, interval: 'month', intervalCount: 1 },
  { id: 'price_quarter', label: 'Quarterly', currency: 'jpy', amount: 2400, interval: 'month', intervalCount: 3 },
  { id: 'price_once', label: 'Lifetime', currency: 'eur', amount: 4900, interval: null, intervalCount: null },
]

export const ACME: StripeAccount = {
  paywallId: '1001',
  paywallName: 'Acme Pro',
  secretKey: 'sk_test_acme_0123456789',
  webhookSecret: 'whsec_acme',
  prices: PRICES,
}

/** Starts an emulator that runs until the test ends, with the official SDK pointed at it. */
export async function startStripe({ accounts = [ACME], ...options }: TestEmulatorOptions<StripeAccount> = {}) {
  const emulator = await startTestEmulator(startStripeEmulator, accounts, options)
  return { emulator, stripe: sdk(emulator) }
}

export function sdk(emulator: StripeEmulator, secretKey = ACME.secretKey): Stripe {
  const { hostname: host, port } = new URL(emulator.url)
  return new Stripe(secretKey, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 })
}

/** A subscription checkout of the monthly price; `more` adds to it. */
export function subscriptionOrder(more: Stripe.Checkout.SessionCreateParams = {}): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    line_items: [{ price: 'price_month', quantity: 1 }],
    success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/sorry',
    customer_email: 'ada@example.com',
    ...more,
  }
}

export function paymentOrder(more: Stripe.Checkout.SessionCreateParams = {}): Stripe.Checkout.SessionCreateParams {
  return subscriptionOrder({ mode: 'payment', line_items: [{ price: 'price_once', quantity: 1 }], ...more })
}

/** Presses a button of a session's hosted page. */
export function press(session: { url: string | null }, action: string, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ action, ...fields })
  return fetch(session.url ?? '', { method: 'POST', body, redirect: 'manual' })
}

export async function buy(
  stripe: Stripe,
  order: Stripe.Checkout.SessionCreateParams,
): Promise<Stripe.Checkout.Session> {
  const session = await stripe.checkout.sessions.create(order)
  await press(session, 'pay')
  return stripe.checkout.sessions.retrieve(session.id)
}

/** The id of a field that may also hold the object itself. */
export function getId(reference: string | { id: string } | null | undefined): string {
  if (!reference) throw new Error('nothing is referred to')
  return typeof reference === 'string' ? reference : reference.id
}

/** A service that receives webhooks, and verifies each with its paywall's secret: see `receiveWebhooks`. */
export async function startReceiver(accounts: StripeAccount[] = [ACME], answers: number[] = []) {
  const { webhooks } = new Stripe('sk_test_unused')
  const { url, deliveries } = await receiveWebhooks<Stripe.Event>(({ paywallId, body, headers }) => {
    const secret = accounts.find((account) => account.paywallId === paywallId)?.webhookSecret ?? ''
    return webhooks.constructEventAsync(body, headers['stripe-signature'] ?? '', secret)
  }, answers)
  return { url, deliveries, types: () => deliveries.map(({ event }) => event.type).sort() }
}
