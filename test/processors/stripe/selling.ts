import { onTestFinished } from 'vitest'
import type { ProcessorEvent } from '../../../lib/processors/event.ts'
import type { CheckoutOrder, PurchaseReference } from '../../../lib/processors/processor.ts'
import { stripeAdapter } from '../../../lib/processors/stripe/adapter.ts'
import { monthlyOrder } from '../orders.ts'
import { ACME, press, startStripe } from './emulator/fixture.ts'

export const CHECKOUT_ID = '10964006-8267-4c06-a65d-2588c2529d3c'

/** An order of the monthly price. */
export const getOrder = (more: Partial<CheckoutOrder> = {}) =>
  monthlyOrder({ checkoutId: CHECKOUT_ID, processorPrice: 'price_month', ...more })

export const ONE_TIME: Partial<CheckoutOrder> = {
  processorPrice: 'price_once',
  currency: 'EUR',
  amount: 4900,
  quantity: 1,
  recurring: null,
}

/** An adapter with its own emulator, which sends its webhooks to the adapter. `received` has the parsed events. */
export async function startAdapter() {
  const received: ProcessorEvent[] = []
  const { emulator, stripe } = await startStripe({
    async fetch(_, { headers, body } = {}) {
      received.push(await adapter.readEvent({ headers: new Headers(headers), rawBody: String(body), now: new Date() }))
      return new Response(null, { status: 200 })
    },
  })
  const now = () => new Date(emulator.currentTime(ACME.paywallId) * 1000)
  const adapter = stripeAdapter(ACME, { base: emulator.url, isTest: true, fetch, now })
  onTestFinished(() => emulator.drainWebhooks())

  /** What the adapter decides about a purchase. */
  async function readSnapshot(reference: PurchaseReference) {
    const observed = await adapter.observe(reference)
    return observed && adapter.decide(observed, now()).found?.purchase
  }
  /** Opens a page and presses a button. */
  async function sell(more: Partial<CheckoutOrder> = {}, action = 'pay') {
    const page = await adapter.openCheckout(getOrder(more))
    await press(page, action)
    return stripe.checkout.sessions.retrieve(page.pageId)
  }
  async function subscribe(more: Partial<CheckoutOrder> = {}): Promise<string> {
    return String((await sell(more)).subscription)
  }
  /** In the order of the events, whatever the order of the webhooks. */
  const facts = async () => {
    await emulator.drainWebhooks()
    return emulator.events.flatMap(({ id }) => received.find((event) => event.id === id)?.payment ?? [])
  }
  const passDays = (days: number) =>
    emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + days * 24 * 3600)
  return { emulator, stripe, adapter, readSnapshot, sell, subscribe, received, facts, passDays }
}
