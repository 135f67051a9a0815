import type { IncomingHttpHeaders } from 'node:http'
import { createPolar, type models, webhooks } from '@polar-sh/sdk/2026-10'
import type { PolarAccount } from '../../../../dev/emulators/polar/accounts.ts'
import type { PolarEmulator } from '../../../../dev/emulators/polar/emulator.ts'
import { startPolarEmulator } from '../../../../dev/emulators/polar/emulator.ts'
import { receiveWebhooks, startTestEmulator, type TestEmulatorOptions } from '../../emulator-fixture.ts'

/** Products, by their ids. The monthly one has a price in rupees, too. */
export const MONTHLY = '0b1f1c2e-6a51-4c5e-9a4e-2f6f0b7a1001'
export const QUARTERLY = '0b1f1c2e-6a51-4c5e-9a4e-2f6f0b7a1003'
export const LIFETIME = '0b1f1c2e-6a51-4c5e-9a4e-2f6f0b7a1002'
export const UNKNOWN = '0b1f1c2e-6a51-4c5e-9a4e-2f6f0b7a9999'

const monthly = { id: MONTHLY, label: 'Monthly', interval: 'month', intervalCount: 1 } as const
const PRICES: PolarAccount['prices'] = [
  { ...monthly, currency: 'usd', amount: 999 },
  { ...monthly, currency: 'inr', amount: 39900 },
  { id: QUARTERLY, label: 'Quarterly', currency: 'jpy', amount: 2400, interval: 'month', intervalCount: 3 },
  { id: LIFETIME, label: 'Lifetime', currency: 'usd', amount: 4900, interval: null, intervalCount: null },
]

export const ACME: PolarAccount = {
  paywallId: '1001',
  paywallName: 'Acme Pro',
  accessToken: 'polar_oat_acme_0123456789',
  webhookSecret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  prices: PRICES,
}

/** Starts an emulator that runs until the test ends, with the official SDK pointed at it. */
export async function startPolar({ accounts = [ACME], ...options }: TestEmulatorOptions<PolarAccount> = {}) {
  const emulator = await startTestEmulator(startPolarEmulator, accounts, options)
  return { emulator, polar: sdk(emulator) }
}

export const sdk = ({ url }: Pick<PolarEmulator, 'url'>, accessToken = ACME.accessToken) =>
  createPolar({ accessToken, baseUrl: url })

export type Sdk = ReturnType<typeof sdk>

/** A checkout of the monthly product; `more` adds to it. */
export const monthlyOrder = (more: Partial<models.CheckoutCreate> = {}): models.CheckoutCreate => ({
  products: [MONTHLY],
  success_url: 'https://shop.example/thanks?checkout={CHECKOUT_ID}',
  return_url: 'https://shop.example/sorry',
  customer_email: 'ada@buyers.dev',
  external_customer_id: 'user-ada',
  metadata: { paywall_id: '1001' },
  ...more,
})

export const TRIAL = { trial_interval: 'day', trial_interval_count: 3 } as const

/** Presses a button of a checkout's hosted page. */
export function press(checkout: { url: string }, action: string, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ action, ...fields })
  return fetch(checkout.url, { method: 'POST', body, redirect: 'manual' })
}

/** Buys, and reads the checkout and the order, as one would at Polar. */
export async function buy(polar: Sdk, order: models.CheckoutCreate = monthlyOrder(), fields = {}) {
  const checkout = await polar.checkouts.create(order)
  await press(checkout, 'pay', fields)
  const [bought] = (await polar.orders.list({ checkout_id: checkout.id })).items
  if (!bought) throw new Error('nothing was bought')
  return { checkout: await polar.checkouts.get(checkout.id), order: bought, id: bought.subscription_id ?? '' }
}

/** A service that receives webhooks, and verifies each with its paywall's secret: see `receiveWebhooks`. */
export async function startReceiver(accounts: PolarAccount[] = [ACME], answers: number[] = []) {
  const { url, deliveries } = await receiveWebhooks(({ paywallId, body, headers }) => {
    const secret = accounts.find((account) => account.paywallId === paywallId)?.webhookSecret ?? ''
    return webhooks.validateEvent(body, toText(headers), secret)
  }, answers)
  return { url, deliveries, types: () => deliveries.map(({ event }) => event.type).sort() }
}

/** Headers as the SDK wants them. */
export const toText = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
