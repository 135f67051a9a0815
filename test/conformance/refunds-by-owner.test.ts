import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { type Call, call } from '../support/call.ts'
import { at } from '../support/tenants.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { hasTerms, setUp } from './drivers/set-up.ts'
import { paymentEvents } from './money.ts'
import { type Shop, useShops } from './shop.ts'

// Refunds that owners request through the API, as far as their processors can make them.

const getShop = useShops()

const refunds = ({ capabilities }: Shop) => capabilities.refunds !== 'never'

async function refund(buyer: Buyer, body: object = {}, headers: Call['headers'] = {}) {
  const { world, paywall, key } = buyer.shop
  const { id } = (await readPurchase(buyer))!
  return call(world, at({ paywall }, `purchases/${id}/refund`), { key, body, headers })
}

const unavailable = ({ acquiring }: Shop) => ({ status: 403, body: { error: 'refund_unavailable', acquiring } })

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a subscription is refunded in part, then entirely, and continues; each refund is one event', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    if (!refunds(shop)) return expect(await refund(buyer)).toMatchObject(unavailable(shop))
    expect(await refund(buyer, { amount: 300 })).toMatchObject({
      status: 200,
      body: { refund: { amount: 300, currency: 'USD', status: 'succeeded' }, purchase: { status: 'active' } },
    })
    expect(await newEvents(buyer)).toEqual(['payment.refunded 300'])
    expect(await readTokens(buyer)).toBe(100)
    const tooMuch = await refund(buyer, { amount: 700 })
    expect(tooMuch).toMatchObject({ status: 409, body: { error: 'refund_exceeds_payment', available: 699 } })
    expect(await refund(buyer)).toMatchObject({ status: 200, body: { refund: { amount: 699 } } })
    expect(await newEvents(buyer)).toEqual(['payment.refunded 699'])
    expect(await readTokens(buyer)).toBe(0)
    expect(await refund(buyer)).toMatchObject({ status: 409, body: { error: 'payment_refunded' } })
    expect(await advanceClock(buyer, '8d')).toEqual([])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    await expectStoredAsAtProcessor(buyer)
  })

  test('a one-time purchase that is refunded entirely is refunded in the reply', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'lifetime')
    if (!refunds(shop)) return expect(await refund(buyer)).toMatchObject(unavailable(shop))
    expect(await refund(buyer)).toMatchObject({
      status: 200,
      body: { refund: { amount: 4900, status: 'succeeded' }, purchase: { status: 'refunded' } },
    })
    expect(await newEvents(buyer)).toEqual(['payment.refunded 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: false })
  })

  test('a retry after a response of the processor was lost refunds nothing more', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    if (!refunds(shop)) return expect(await refund(buyer)).toMatchObject(unavailable(shop))
    const headers = { 'idempotency-key': randomUUID() }
    let isLost = false
    shop.emulator.onCall = async ({ method, path }, run) => {
      const response = await run()
      if (method !== 'POST' || !/refund/.test(path)) return response
      isLost = true
      return { status: 503, headers: {}, body: '' }
    }
    expect(await refund(buyer, { amount: 300 }, headers)).toMatchObject({ status: 502 })
    shop.emulator.onCall = undefined
    expect(isLost).toBe(true)
    expect(await refund(buyer, { amount: 300 }, headers)).toMatchObject({
      status: 200,
      body: { refund: { amount: 300 } },
    })
    expect(await newEvents(buyer)).toEqual(['payment.refunded 300'])
    expect(await refund(buyer)).toMatchObject({ status: 200, body: { refund: { amount: 699 } } })
  })

  test('what was refunded at the processor is not refunded again, even before its webhook arrives', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    if (!refunds(shop)) return expect(await refund(buyer)).toMatchObject(unavailable(shop))
    shop.emulator.holdWebhooks()
    await shop.account.refund(await getProcessorId(buyer), 300)
    const reply = await refund(buyer)
    expect(reply).toMatchObject({ status: 409, body: { error: 'refund_exceeds_payment', available: 699 } })
    await shop.emulator.sendHeldWebhooks()
    expect(await newEvents(buyer)).toEqual(['payment.refunded 300'])
    expect(await refund(buyer)).toMatchObject({ status: 200, body: { refund: { amount: 699 } } })
  })

  test('a disputed payment is refused', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'lifetime')
    if (!refunds(shop)) return expect(await refund(buyer)).toMatchObject(unavailable(shop))
    await causeAtProcessor(buyer, shop.account.dispute)
    expect(await refund(buyer)).toMatchObject({ status: 409, body: { error: 'payment_disputed' } })
    expect((await paymentEvents(buyer)).map(({ type }) => type)).not.toContain('payment.refunded')
  })
})

test.each(PROCESSOR_NAMES.filter(hasTerms))('%s: a refund of a taxed payment includes its tax', async (acquiring) => {
  const shop = getShop(acquiring)
  const terms = { taxPercent: 19, percentOff: 0 }
  await setUp(shop.world[acquiring], shop.paywall.id, { terms, afterRetries: null, lagSeconds: 0 })
  const buyer = await buy(shop, 'lifetime')
  if (!refunds(shop)) return expect(await refund(buyer)).toMatchObject(unavailable(shop))
  const [paid] = await paymentEvents(buyer)
  const total = paid?.amount ?? 0
  const returned: number[] = []
  for (const amount of [1, 333, 1000]) {
    const reply = await refund(buyer, { amount })
    const made: number = Object(reply.body).refund?.amount
    expect(made).toBeLessThanOrEqual(amount)
    expect(made).toBeGreaterThanOrEqual(amount - 1)
    returned.push(made)
  }
  const rest = total - returned.reduce((sum, each) => sum + each, 0)
  expect(await refund(buyer)).toMatchObject({ status: 200, body: { refund: { amount: rest } } })
  await newEvents(buyer)
  const events = (await paymentEvents(buyer)).filter(({ type }) => type === 'payment.refunded')
  expect(events.map(({ amount }) => amount)).toEqual([...returned, rest])
})
