import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Freemius, type WebhookEvent, type WebhookEventType } from '@freemius/sdk'
import { onTestFinished } from 'vitest'
import { close, listen } from '../../../../dev/emulators/core/listen.ts'
import type { EnteredPrice } from '../../../../dev/emulators/core/paywalls.ts'
import type { FreemiusAccount } from '../../../../dev/emulators/freemius/accounts.ts'
import type { FreemiusEmulator } from '../../../../dev/emulators/freemius/emulator.ts'
import { startFreemiusEmulator } from '../../../../dev/emulators/freemius/emulator.ts'

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
export async function startFreemius(
  options: { accounts?: FreemiusAccount[]; serviceUrl?: string; statePath?: string } = {},
) {
  const { accounts = [ACME], serviceUrl = 'http://127.0.0.1:9', statePath } = options
  const emulator = await startFreemiusEmulator({
    port: 0,
    accounts: () => accounts,
    serviceUrl: () => serviceUrl,
    ...(statePath !== undefined && { statePath }),
  })
  onTestFinished(() => emulator.close())
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

export interface Delivery {
  paywallId: string
  body: string
  event: WebhookEvent<WebhookEventType> & { objects: Record<string, unknown>; data: Record<string, unknown> }
}

/**
 * A service that receives webhooks, and verifies the raw body of each with the official SDK. `answers` are the statuses
 * of the first responses; all later ones are 200.
 */
export async function startReceiver(accounts: FreemiusAccount[] = [ACME], answers: number[] = []) {
  const deliveries: Delivery[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const paywallId = request.url?.replace('/webhooks/freemius/', '') ?? ''
    const account = accounts.find((each) => each.paywallId === paywallId)
    const listener = account && new Freemius(account).webhook.createListener()
    const signature = String(request.headers['x-signature'])
    if (!listener?.verifySignature(body, signature)) throw new Error('the signature does not hold')
    deliveries.push({ paywallId, body, event: JSON.parse(body) })
    response.writeHead(answers.shift() ?? 200).end()
  })
  const url = await listen(server, 0)
  onTestFinished(() => close(server))
  return { url, deliveries, types: () => deliveries.map(({ event }): string => event.type) }
}
