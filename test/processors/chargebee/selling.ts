import type { AdapterOptions } from '../../../lib/processors/adapter.ts'
import { chargebeeAdapter } from '../../../lib/processors/chargebee/adapter.ts'
import type { ProcessorEvent } from '../../../lib/processors/event.ts'
import type { CheckoutOrder, PurchaseReference } from '../../../lib/processors/processor.ts'
import { monthlyOrder } from '../orders.ts'
import { ACME, press, startChargebee } from './emulator/fixture.ts'

export const CREDENTIALS = {
  site: ACME.site,
  apiKey: ACME.apiKey,
  webhookUser: ACME.webhookUser,
  webhookPassword: ACME.webhookPassword,
}

export const CHECKOUT_ID = '0d9b6c52-7f0e-4d0b-9a5e-3f1f6f1a2b3c'

/** An order of the monthly plan. */
export const getOrder = (more: Partial<CheckoutOrder> = {}) =>
  monthlyOrder({
    checkoutId: CHECKOUT_ID,
    userId: '5f0f8c3e-55a8-4a53-8f43-0c5a4bd1a111',
    processorPrice: 'pro-USD-monthly',
    ...more,
  })

export const ONE_TIME: Partial<CheckoutOrder> = {
  processorPrice: 'lifetime-EUR',
  currency: 'EUR',
  amount: 4900,
  quantity: 1,
  recurring: null,
}

/** An adapter with its own emulator, which sends its webhooks to the adapter. `reported` has the parsed events. */
export async function startAdapter(options: Partial<AdapterOptions> = {}) {
  const reported: ProcessorEvent[] = []
  const { emulator, chargebee } = await startChargebee({
    fetch: async (_, { headers, body } = {}) => {
      const inbound = { headers: new Headers(headers), rawBody: String(body), now: now() }
      reported.push(await adapter.readEvent(inbound))
      return new Response(null, { status: 200 })
    },
  })
  const now = () => new Date(emulator.currentTime(ACME.paywallId) * 1000)
  const adapter = chargebeeAdapter(CREDENTIALS, { base: emulator.url, isTest: true, fetch, now, ...options })

  /** What the adapter decides about a purchase; null if Chargebee has nothing. */
  async function readSnapshot(reference: PurchaseReference) {
    const observed = await adapter.observe(reference)
    return observed && adapter.decide(observed, now())
  }
  const purchase = async (id = CHECKOUT_ID) => (await readSnapshot({ kind: 'subscription', id }))?.found?.purchase
  /** Opens a page and presses a button. */
  async function sell(more: Partial<CheckoutOrder> = {}, action = 'pay', fields: Record<string, string> = {}) {
    const page = await adapter.openCheckout(getOrder(more))
    const response = await press(page, action, fields)
    return { page, location: response.headers.get('location') }
  }
  /** In the order of the events, whatever the order of the webhooks. */
  const facts = async () => {
    await emulator.drainWebhooks()
    return emulator.events.flatMap(({ id }) => reported.find((event) => event.id === id)?.payment ?? [])
  }
  return { emulator, chargebee, adapter, now, readSnapshot, purchase, sell, reported, facts }
}
