import { Freemius, type WebhookEvent, type WebhookEventType } from '@freemius/sdk'
import type { EnteredPrice } from '../../../../dev/emulators/core/paywalls.ts'
import type { FreemiusAccount } from '../../../../dev/emulators/freemius/accounts.ts'
import type { FreemiusEmulator } from '../../../../dev/emulators/freemius/emulator.ts'
import { startFreemiusEmulator } from '../../../../dev/emulators/freemius/emulator.ts'
import { receiveWebhooks, startTestEmulator, type TestEmulatorOptions } from '../../emulator-fixture.ts'

const price = (more: Partial<EnteredPrice>): EnteredPrice => ({
  id: '501:601',
  label: 'Monthly',
  currency: 'USD',
  amount: 999,
  interval: 'month',
  intervalCount: 1,
  trialDays: 0,
  ...more,
})

export const PRICES = {
  monthly: price({}),
  annual: price({ label: 'Annual', amount: 9900, interval: 'year' }),
  lifetime: price({ label: 'For ever', amount: 19900, interval: null, intervalCount: null }),
  euro: price({ id: '501:602', currency: 'EUR', amount: 899 }),
  trial: price({ id: '502:603', label: 'With trial', trialDays: 7 }),
}

export const SECRET = 'sk_acme_0123456789_0123456789_0123456789'

export const ACME: FreemiusAccount = {
  paywallId: '1001',
  paywallName: 'Acme Pro',
  productId: '7001',
  publicKey: 'pk_acme',
  secretKey: SECRET,
  apiKey: 'api_acme_0123456789',
  returnUrl: 'https://shop.example/r/freemius/1001',
  prices: Object.values(PRICES),
}

/** Another product of another owner. */
export const OTHER: FreemiusAccount = {
  ...ACME,
  paywallId: '2001',
  productId: '7002',
  apiKey: 'api_other_0123456789',
  publicKey: 'pk_other',
  secretKey: SECRET.replace('acme', 'other'),
}

export const ADA = 'ada@example.com'

/** Starts an emulator that runs until the test ends, with the official SDK pointed at it. */
export async function startFreemius({ accounts = [ACME], ...options }: TestEmulatorOptions<FreemiusAccount> = {}) {
  const emulator = await startTestEmulator(startFreemiusEmulator, accounts, options)
  return { emulator, freemius: sdk(emulator) }
}

/** The official SDK with `send` as its `fetch`. It has no option for that, but keeps the global `fetch` at its creation. */
export function sdkOver(send: typeof fetch, account: FreemiusAccount = ACME): Freemius {
  const originalFetch = globalThis.fetch
  try {
    globalThis.fetch = send
    return new Freemius(account)
  } finally {
    globalThis.fetch = originalFetch
  }
}

/** The official SDK against an emulator. */
export const sdk = (emulator: Pick<FreemiusEmulator, 'url'>, account: FreemiusAccount = ACME) =>
  sdkOver((input) => {
    const request = new Request(input)
    return fetch(new Request(request.url.replace(/^https:\/\/fast-api\.freemius\.com/, emulator.url), request))
  }, account)

interface Sale {
  price?: EnteredPrice
  email?: string
  sandbox?: boolean
  more?: Record<string, string>
}

/** A checkout link built by the official SDK, with its host replaced by that of the emulator. */
export async function readLink(freemius: Freemius, { url }: { url: string }, sale: Sale = {}): Promise<string> {
  const { price: sold = PRICES.monthly, email = ADA, sandbox = true, more = {} } = sale
  const [planId = '', pricingId = ''] = sold.id.split(':')
  const checkout = await freemius.checkout.create({
    user: { email },
    planId,
    isSandbox: sandbox,
    withRecommendation: false,
    ...(sold.trialDays > 0 && { trial: 'paid' }),
  })
  checkout.setPricing(pricingId).setCancelButton('https://shop.example/sorry')
  checkout.setBillingCycle(sold.interval === null ? 'lifetime' : sold.interval === 'month' ? 'monthly' : 'annual')
  checkout.setCurrency(sold.currency.toLowerCase() as 'usd' | 'eur')
  const link = new URL(checkout.getLink())
  for (const [name, value] of Object.entries(more)) link.searchParams.set(name, value)
  return `${url}${link.pathname}${link.search}`
}

/** Presses a button of a hosted page. */
export const press = (address: string, action: string, form: Record<string, string> = {}) =>
  fetch(address, { method: 'POST', body: new URLSearchParams({ action, ...form }), redirect: 'manual' })

/** Buys, and parses the redirect URL with the official SDK. */
export async function buy(freemius: Freemius, emulator: { url: string }, sale: Sale = {}) {
  const answer = await press(await readLink(freemius, emulator, sale), 'pay')
  const address = answer.headers.get('location') ?? ''
  const info = await freemius.checkout.processRedirect(address)
  if (!info) throw new Error(`the SDK does not take ${answer.status} ${address}`)
  return { address, info, license: info.license_id, subscription: info.subscription_id ?? '', user: info.user_id }
}

type Event = WebhookEvent<WebhookEventType> & { objects: Record<string, unknown>; data: Record<string, unknown> }

/** A service that receives webhooks, and verifies each with its product's key: see `receiveWebhooks`. */
export async function startReceiver(accounts: FreemiusAccount[] = [ACME], answers: number[] = []) {
  const { url, deliveries } = await receiveWebhooks<Event>(({ paywallId, body, headers }) => {
    const account = accounts.find((each) => each.paywallId === paywallId)
    const listener = account && new Freemius(account).webhook.createListener()
    if (!listener?.verifySignature(body, String(headers['x-signature']))) throw new Error('the signature is invalid')
    return JSON.parse(body)
  }, answers)
  return { url, deliveries, types: () => deliveries.map(({ event }): string => event.type) }
}
