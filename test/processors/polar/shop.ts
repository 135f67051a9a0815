import { onTestFinished } from 'vitest'
import type { PolarAccount } from '../../../dev/emulators/polar/accounts.ts'
import { startPolarEmulator } from '../../../dev/emulators/polar/emulator.ts'
import type { WebhookRequest } from '../../../lib/processors/event.ts'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import type { CheckoutOrder, PurchaseReference } from '../../../lib/processors/processor.ts'
import { monthlyOrder } from '../orders.ts'
import { ACME, LIFETIME, MONTHLY, press, sdk } from './emulator/fixture.ts'

export const DAY_MS = 86_400_000
export const ADA = '5a1de0f4-7f0e-4b6f-8c44-0d3e1a9b2c01'
export const BOB = '5a1de0f4-7f0e-4b6f-8c44-0d3e1a9b2c02'

/** A request as it was sent. */
export interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/** A request for comparison: with its body decoded, and without the headers that differ between senders. */
export function getSent(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Sent {
  const {
    authorization = '',
    'content-type': type = '',
    'polar-version': version = '',
  } = Object.fromEntries(new Headers(init.headers))
  const body = typeof init.body === 'string' ? JSON.parse(init.body) : null
  const headers = { authorization, type, version }
  return { method: init.method ?? 'GET', url: String(input), headers, body }
}

/** A monthly subscription for Ada on paywall 1001; `more` changes it. */
export const getOrder = (more: Partial<CheckoutOrder> = {}) =>
  monthlyOrder({
    key: 'checkout-1',
    checkoutId: '3f9c2b9e-3b77-4a53-9d0b-7e5a4b2c1d01',
    userId: ADA,
    email: 'ada@buyers.dev',
    processorPrice: MONTHLY,
    successUrl: 'https://api.example/r/1/success',
    errorUrl: 'https://api.example/r/1/error',
    ...more,
  })

export const lifetime = { processorPrice: LIFETIME, amount: 4900, recurring: null } as const

/** An emulator, its adapter, and a receiver of its webhooks, until the test ends. */
export async function openShop(accounts: PolarAccount[] = [ACME]) {
  const inbounds: WebhookRequest[] = []
  const sent: Sent[] = []
  const emulator = await startPolarEmulator({
    port: 0,
    accounts: () => accounts,
    serviceUrl: () => 'http://service.example',
    fetch: async (_, init) => {
      inbounds.push({ headers: new Headers(init?.headers), rawBody: String(init?.body), now: new Date() })
      return new Response(null, { status: 204 })
    },
  })
  onTestFinished(() => emulator.close())
  const recording: typeof fetch = (input, init) => {
    sent.push(getSent(input, init))
    return fetch(input, init)
  }
  const options = { base: emulator.url, isTest: true, fetch: recording, now: () => new Date() }
  const adapter = polarAdapter(ACME, options)

  async function readSnapshot(reference: PurchaseReference) {
    const observed = await adapter.observe(reference)
    return observed && adapter.decide(observed, new Date())
  }

  return {
    emulator,
    adapter,
    polar: sdk(emulator),
    sent,
    readSnapshot,
    purchase: async (reference: PurchaseReference) => (await readSnapshot(reference))?.found?.purchase ?? null,
    /** Buys, and reads the page. */
    async buy(more: Partial<CheckoutOrder> = {}, fields: Record<string, string> = {}) {
      const page = await adapter.openCheckout(getOrder(more))
      await press(page, 'pay', fields)
      const purchase = (await readSnapshot({ kind: 'page', id: page.pageId }))?.found?.purchase
      if (!purchase) throw new Error('nothing was bought')
      return { page, purchase, reference: { kind: 'subscription', id: purchase.processorId } as const }
    },
    /** The events of the webhooks that have arrived since the last call. */
    async events() {
      await emulator.drainWebhooks()
      return Promise.all(inbounds.splice(0).map((inbound) => adapter.readEvent(inbound)))
    },
    inbounds,
    /** Moves the clock to a moment. */
    moveTo: (at: Date | null) => emulator.moveTo(ACME.paywallId, Math.ceil((at?.getTime() ?? 0) / 1000)),
  }
}
