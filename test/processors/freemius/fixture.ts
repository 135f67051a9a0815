import { onTestFinished } from 'vitest'
import type { EnteredPrice } from '../../../dev/emulators/core/paywalls.ts'
import type { FreemiusAccount } from '../../../dev/emulators/freemius/accounts.ts'
import { startFreemiusEmulator } from '../../../dev/emulators/freemius/emulator.ts'
import { freemiusAdapter } from '../../../lib/processors/freemius/adapter.ts'
import type { CheckoutOrder, PurchaseReference, PurchaseSnapshot } from '../../../lib/processors/processor.ts'
import { monthlyOrder } from '../orders.ts'
import { ACME, PRICES, press, SECRET, sdk } from './emulator/fixture.ts'

export const CREDENTIALS = { productId: '7001', publicKey: 'pk_acme', secretKey: SECRET, apiKey: ACME.apiKey }

export const CHECKOUT_ID = '0b0f8f4e-3a0a-4a3e-9b1c-6a4f0d6f2f10'

export const order = (price: EnteredPrice = PRICES.monthly, more: Partial<CheckoutOrder> = {}) =>
  monthlyOrder({
    checkoutId: CHECKOUT_ID,
    userId: 'user-1',
    processorPrice: price.id,
    currency: price.currency,
    amount: price.amount,
    recurring: price.interval && { interval: price.interval, intervalCount: 1 },
    trialDays: price.trialDays,
    errorUrl: 'https://pay.example/r/1/error?why=left&to=a%20b',
    ...more,
  })

/** An adapter with its own emulator, until the test ends. */
export async function startAdapter(
  options: { accounts?: FreemiusAccount[]; serviceUrl?: string; isTest?: boolean; credentials?: object } = {},
) {
  const { accounts = [ACME], serviceUrl = 'http://127.0.0.1:9', isTest = true, credentials = {} } = options
  const emulator = await startFreemiusEmulator({ port: 0, accounts: () => accounts, serviceUrl: () => serviceUrl })
  onTestFinished(() => emulator.close())
  const now = () => new Date(emulator.currentTime('1001') * 1000)
  const getAdapter = (test: boolean, send: typeof fetch = fetch) =>
    freemiusAdapter({ ...CREDENTIALS, ...credentials }, { base: emulator.url, fetch: send, now, isTest: test })
  const adapter = getAdapter(isTest)
  const client = sdk(emulator)

  /** The current state of a purchase; null if nothing was bought. */
  async function readSnapshot(reference: PurchaseReference): Promise<PurchaseSnapshot | null> {
    const observed = await adapter.observe(reference)
    return observed === null ? null : (adapter.decide(observed, now()).found?.purchase ?? null)
  }

  /** Opens a checkout and presses a button of its page. */
  async function checkout(
    price?: EnteredPrice,
    action = 'pay',
    more: Partial<CheckoutOrder> = {},
    fields: Record<string, string> = {},
  ) {
    const given = order(price, more)
    const openedAt = now()
    const { url, pageId } = await adapter.openCheckout(given)
    const answer = await press(url, action, fields)
    const { email, processorPrice, recurring } = given
    const sale = { email, processorPrice, interval: recurring?.interval ?? null, openedAt, sold: [] }
    return { url, to: answer.headers.get('location') ?? '', page: { kind: 'page' as const, id: pageId, sale } }
  }

  /** Buys, and returns the purchase with the ids of its licence, its subscription and its payment. */
  async function buy(price?: EnteredPrice) {
    const { page } = await checkout(price)
    const bought = await readSnapshot(page)
    if (!bought) throw new Error('nothing was bought')
    const license = { kind: 'subscription' as const, id: bought.processorId }
    const subscription = (await client.api.license.retrieveSubscription(license.id))?.id ?? ''
    const payments = await client.api.user.retrievePayments(bought.customer ?? '')
    return { bought, license, subscription, payment: payments[0]?.id ?? '' }
  }

  /** Moves the clock by this many days. */
  const pass = (days: number) => emulator.moveTo('1001', emulator.currentTime('1001') + Math.round(days * 86_400))

  return { emulator, adapter, getAdapter, now, freemius: client, readSnapshot, checkout, buy, pass }
}
