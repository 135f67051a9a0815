import Chargebee, { basicAuthValidator, type HostedPage } from 'chargebee'
import type { ChargebeeAccount } from '../../../../dev/emulators/chargebee/accounts.ts'
import type { ChargebeeEmulator } from '../../../../dev/emulators/chargebee/emulator.ts'
import { startChargebeeEmulator } from '../../../../dev/emulators/chargebee/emulator.ts'
import type { ChargebeeEvent } from '../../../../dev/emulators/chargebee/objects/wire.ts'
import { receiveWebhooks, startTestEmulator, type TestEmulatorOptions } from '../../emulator-fixture.ts'

const PRICES: ChargebeeAccount['prices'] = [
  { id: 'pro-USD-monthly', label: 'Monthly', currency: 'USD', amount: 999, interval: 'month', intervalCount: 1 },
  { id: 'pro-JPY-quarterly', label: 'Quarterly', currency: 'JPY', amount: 2400, interval: 'month', intervalCount: 3 },
  { id: 'pro-KWD-yearly', label: 'Yearly', currency: 'KWD', amount: 1250, interval: 'year', intervalCount: 1 },
  { id: 'lifetime-EUR', label: 'Lifetime', currency: 'EUR', amount: 4900, interval: null, intervalCount: null },
]

export const ACME: ChargebeeAccount = {
  paywallId: '1001',
  paywallName: 'Acme Pro',
  site: 'acme-test',
  apiKey: 'test_acme_0123456789',
  webhookUser: 'paywall',
  webhookPassword: 'a-long-password',
  prices: PRICES,
}

/** Starts an emulator that runs until the test ends, with the official SDK pointed at it. */
export async function startChargebee({ accounts = [ACME], ...options }: TestEmulatorOptions<ChargebeeAccount> = {}) {
  const emulator = await startTestEmulator(startChargebeeEmulator, accounts, options)
  return { emulator, chargebee: sdk(emulator) }
}

/** The official SDK. The emulator serves all sites, so its host name is passed as the name of the site. */
export function sdk({ url }: Pick<ChargebeeEmulator, 'url'>, apiKey = ACME.apiKey): Chargebee {
  const { hostname: site, port } = new URL(url)
  return new Chargebee({
    site,
    hostSuffix: '',
    port: Number(port),
    protocol: 'http',
    apiKey,
    sdkTelemetryEnabled: false,
  })
}

type NewParameters = HostedPage.CheckoutNewForItemsInputParam
type OneTimeParameters = HostedPage.CheckoutOneTimeForItemsInputParam

export const subscriptionOrder = (more: NewParameters = {}): NewParameters => ({
  redirect_url: 'https://shop.example/thanks?session=1',
  cancel_url: 'https://shop.example/sorry',
  customer: { id: 'user-1', email: 'ada@example.com' },
  subscription_items: [{ item_price_id: 'pro-USD-monthly', quantity: 1 }],
  ...more,
})

export const oneTimeOrder = (more: OneTimeParameters = {}): OneTimeParameters => ({
  redirect_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/sorry',
  customer: { email: 'ada@example.com' },
  item_prices: [{ item_price_id: 'lifetime-EUR', quantity: 1 }],
  ...more,
})

/** Presses a button of a hosted page. */
export function press(page: { url?: string }, action: string, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ action, ...fields })
  return fetch(page.url ?? '', { method: 'POST', body, redirect: 'manual' })
}

/** Sells a subscription, and returns it with its customer and its first invoice. */
export async function subscribe(chargebee: Chargebee, more: NewParameters = {}) {
  const { hosted_page: page } = await chargebee.hostedPage.checkoutNewForItems(subscriptionOrder(more))
  await press(page, 'pay')
  const { content } = (await chargebee.hostedPage.retrieve(page.id ?? '')).hosted_page
  return { page, ...content }
}

export async function buyOnce(chargebee: Chargebee, more: OneTimeParameters = {}) {
  const { hosted_page: page } = await chargebee.hostedPage.checkoutOneTimeForItems(oneTimeOrder(more))
  await press(page, 'pay')
  const { content } = (await chargebee.hostedPage.retrieve(page.id ?? '')).hosted_page
  return { page, ...content }
}

/** A service that receives webhooks, and verifies each with its paywall's user and password: see `receiveWebhooks`. */
export async function startReceiver(accounts: ChargebeeAccount[] = [ACME], answers: number[] = []) {
  const { url, deliveries } = await receiveWebhooks(({ paywallId, body, headers }) => {
    const account = accounts.find((each) => each.paywallId === paywallId)
    return verifyEvent({ ...headers }, body, account)
  }, answers)
  return { url, deliveries, types: () => deliveries.map(({ event }) => event.event_type).sort() }
}

/** The event that the SDK's handler parses; null if the handler rejects the request. */
export async function verifyEvent(
  headers: Record<string, string | string[] | undefined>,
  body: string,
  account: Pick<ChargebeeAccount, 'webhookUser' | 'webhookPassword'> | undefined,
): Promise<ChargebeeEvent | null> {
  const handler = new Chargebee({ site: 'unused', apiKey: 'unused' }).webhooks.createHandler({
    requestValidator: basicAuthValidator(
      (user, password) => user === account?.webhookUser && password === account?.webhookPassword,
    ),
  })
  const { promise, resolve } = Promise.withResolvers<ChargebeeEvent | null>()
  handler.on('unhandled_event', ({ event }) => resolve(event as unknown as ChargebeeEvent))
  handler.on('error', () => resolve(null))
  await handler.handle({ body, headers })
  return promise
}
