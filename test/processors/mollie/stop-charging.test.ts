import { describe, expect, test } from 'vitest'
import { readPurchase } from '../../../functions/processors/read-purchase.ts'
import { mollieAdapter } from '../../../lib/processors/mollie/adapter.ts'
import type { CheckoutOrder } from '../../../lib/processors/processor.ts'
import { ACME, startMollie } from './emulator/fixture.ts'

const order = (more: Partial<CheckoutOrder> = {}): CheckoutOrder => ({
  key: crypto.randomUUID(),
  checkoutId: crypto.randomUUID(),
  paywallId: '1001',
  userId: 'user_1',
  email: null,
  customer: null,
  customers: {},
  processorPrice: 'Acme Pro',
  currency: 'EUR',
  amount: 999,
  trialDays: 0,
  recurring: { interval: 'month', intervalCount: 1 },
  successUrl: 'https://pay.example/success',
  errorUrl: 'https://pay.example/error',
  ...more,
})

/** An adapter with its own emulator, and a sale. Unless it is read, Mollie has no subscription yet. */
async function startSale(more: Partial<CheckoutOrder> = {}, isRead = true) {
  const { emulator } = await startMollie()
  const now = () => new Date(emulator.currentTime('1001') * 1000)
  const adapterOver = (send: typeof fetch) =>
    mollieAdapter(ACME, { base: emulator.url, isTest: true, fetch: send, now })
  const adapter = adapterOver(fetch)
  const { pageId: id, url } = await adapter.openCheckout(order(more))
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' })
  const look = async () => (await readPurchase(adapter, '1001', { kind: 'subscription', id }, now)).purchase
  if (isRead) await look()
  const pass = (days: number) => emulator.moveTo('1001', emulator.currentTime('1001') + Math.round(days * 86_400))
  const paid = () => emulator.payments.filter(({ status }) => status === 'paid').length
  const subscription = () => String(emulator.subscriptions.at(-1)?.id)
  return { emulator, adapter, adapterOver, id, look, pass, paid, subscription }
}

type Selling = Awaited<ReturnType<typeof startSale>>

const STATES: [string, () => Promise<Selling>, string][] = [
  ['is paid up', () => startSale(), 'active'],
  ['is on trial', () => startSale({ trialDays: 7 }), 'trialing'],
  [
    'is past due',
    async () => {
      const sale = await startSale()
      await sale.emulator.renew(sale.subscription(), { fail: true })
      return sale
    },
    'active',
  ],
  [
    'is on a trial whose charge failed',
    async () => {
      const sale = await startSale({ trialDays: 7 })
      await sale.emulator.renew(sale.subscription(), { fail: true })
      return sale
    },
    'trialing',
  ],
  ['does not exist at Mollie yet', () => startSale({}, false), 'active'],
]

describe.each(STATES)('a subscription that %s', (_, begin, status) => {
  test.each(['stopCharging', 'endNow'] as const)('is never charged again: %s', async (end) => {
    const { adapter, id, look, pass, paid, emulator } = await begin()
    const before = paid()
    await Promise.all([adapter[end]?.(id), adapter[end]?.(id)])
    await adapter[end]?.(id)
    expect(await look()).toMatchObject({ status, cancelAtPeriodEnd: true })
    await pass(70)
    expect(paid()).toBe(before)
    expect(await look()).toMatchObject({ status: 'canceled' })
    expect(emulator.subscriptions.every((each) => each.status === 'canceled')).toBe(true)
  })
})

test.each([0, 1, 2, 3])('a repeat completes a stopCharging that crashed after %i calls', async (maxCalls) => {
  const { adapter, adapterOver, id, pass, paid, look } = await startSale()
  let calls = 0
  const crashing = adapterOver(async (...call) => {
    if (calls++ >= maxCalls) throw new Error('the Worker is gone')
    return fetch(...call)
  })
  await expect(crashing.stopCharging?.(id)).rejects.toThrow()
  await adapter.stopCharging?.(id)
  await pass(70)
  expect(paid()).toBe(1)
  expect(await look()).toMatchObject({ status: 'canceled' })
})
