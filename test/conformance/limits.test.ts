import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { getPriceId, newEmail, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import {
  advanceClock,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  open,
  order,
  pay,
  readPurchase,
  readState,
} from './buyer.ts'
import { reconcileAll } from './reconcile.ts'
import { type Shop, useShops } from './shop.ts'
import { purchaseBy, upgrade, withoutStops } from './upgrading.ts'
import { heldWebhooks, sendWebhook, webhooksSince } from './webhook.ts'

// What a processor refuses, rate limits, or has added since.

const getShop = useShops()

afterEach(() => {
  for (const acquiring of PROCESSOR_NAMES) getShop(acquiring).emulator.onCall = undefined
})

/** Answers every call with a rate limit error and this many seconds to wait. */
function refuseCalls({ emulator }: Shop, seconds: number): void {
  emulator.onCall = async () => ({ status: 429, headers: { 'Retry-After': String(seconds) }, body: '{}' })
}

/** Counts the calls to a shop's own account. */
function callCounter({ emulator, paywall }: Shop): () => number {
  const account = emulator.getAccount(paywall.id)
  return () => emulator.calls.filter((call) => call.account === account).length
}

const setValues = ({ emulator, paywall }: Shop, values: Readonly<Record<string, string>>) =>
  (emulator as unknown as { setValues(id: string, values: object): Promise<void> }).setValues(paywall.id, values)

/** Collects all that the processor sends us from now on: its responses, and the events of its webhooks. */
function recordTexts(shop: Shop): () => string {
  const { emulator } = shop
  const [webhooks, responses] = [webhooksSince(shop), [] as string[]]
  emulator.onCall = async (_, run) => {
    const reply = await run()
    responses.push(reply.body)
    return reply
  }
  return () => [...responses, ...webhooks().map(({ body }) => body)].join('\n')
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a caller gets the Retry-After of the processor, and its key opens a page after that', async () => {
    const shop = getShop(acquiring)
    const options = { headers: { 'idempotency-key': randomUUID() }, email: newEmail() }
    refuseCalls(shop, 17)
    const refused = await order(shop, 'monthly', options)
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([
      502,
      { error: 'processor_unavailable' },
      '17',
    ])
    shop.emulator.onCall = undefined
    expect(await order(shop, 'monthly', options)).toMatchObject({ status: 200 })
  })

  test('sales, renewals and refunds work while the processor uses new values of open enumerations', async () => {
    const shop = getShop(acquiring)
    const { newValues } = shop.driver
    await setValues(shop, newValues)
    const received = recordTexts(shop)
    const buyer = await buy(shop)
    expect(await causeAtProcessor(buyer, shop.there.renew)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
    expect(await causeAtProcessor(buyer, (id) => shop.there.refund(id, 300))).toEqual(['payment.refunded 300'])
    expect(await causeAtProcessor(buyer, shop.there.refund)).toEqual(['payment.refunded 699'])
    const texts = received()
    await setValues(shop, {})
    for (const value of Object.values(newValues)) expect(texts).toContain(value)
    await expectStoredAsAtProcessor(buyer)
  })

  test('an unknown status is an invalid reply: the stored state stays, and the next read updates it', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const once = await buy(shop, 'lifetime')
    const states = async () => [await readState(buyer), await readState(once)]
    const before = await states()
    await setValues(shop, { status: 'frozen', created: 'frozen' })
    await reconcileAll(shop)
    expect(await states()).toEqual(before)
    expect([await newEvents(buyer), await newEvents(once)]).toEqual([[], []])
    await setValues(shop, {})
    expect(await causeAtProcessor(buyer, shop.there.renew)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
    await expectStoredAsAtProcessor(buyer)
    expect(await causeAtProcessor(once, shop.there.refund)).toEqual(['payment.refunded 4900'])
    expect(await readState(once)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })

  test('a requested trial is at most as long as the price’s own, and a user who has had one gets none', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key, capabilities } = shop
    const { token, email } = await signIn(world, { paywallId: paywall.id, key })
    const ask = (body: object) =>
      startCheckout(world, { paywall, token, body: { priceId: getPriceId(paywall, 'yearly'), ...body } })
    const asked = await ask({ trial_days: 30 })
    if (capabilities.trialLength === 'any') expect(asked).toMatchObject({ status: 200 })
    else {
      expect(asked).toMatchObject({
        status: 400,
        body: { error: 'Invalid trial_days', message: expect.stringContaining('7-day') },
      })
    }
    const buyer = await buy(shop, 'yearly', { email })
    const days =
      (Date.parse(String((await readPurchase(buyer))?.trial_end)) - (await world.clock.now(paywall.id)).getTime()) /
      86_400_000
    expect(Math.round(days)).toBe(7)
    await cancelThroughApi(buyer)
    await advanceClock(buyer, '9d')
    expect(await readState(buyer)).toMatchObject({ paid: false })

    await pay(await open(shop, 'yearly', { email, body: { trial_days: null } }))
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 8900', 'subscription.created'])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', trial_end: null })
  })

  test('a replay has the bytes of the first reply, from KV and from Postgres', async () => {
    const shop = getShop(acquiring)
    const options = { headers: { 'idempotency-key': randomUUID() }, email: newEmail() }
    const bytes = async () => JSON.stringify((await order(shop, 'monthly', options)).body)
    const first = await bytes()
    expect(await bytes()).toBe(first)
    const kv = await shop.world.workers.kv('start-checkout', 'CHECKOUT_REPLIES')
    for (const { name } of (await kv.list()).keys) await kv.delete(name)
    expect(await bytes()).toBe(first)
  })

  test('reconcile makes no calls during the processor’s Retry-After, while checkouts work, and then catches up', async () => {
    const shop = getShop(acquiring, 1)
    const calls = callCounter(shop)
    const buyer = await open(shop)
    refuseCalls(shop, 3600)
    await advanceClock(buyer, '16m')
    const asked = calls()
    shop.emulator.onCall = undefined
    await advanceClock(buyer, '20m')
    expect(calls()).toBe(asked)
    const other = await open(shop)
    await pay(other)
    expect(await readPurchase(other)).toMatchObject({ status: 'active' })
    const before = calls()
    await advanceClock(buyer, '2h')
    expect(calls()).toBeGreaterThan(before)
  })

  test('a stop that the processor rate limits is made once the time is over, and not before', async () => {
    const shop = getShop(acquiring, 1)
    const calls = callCounter(shop)
    const buyer = await buy(shop)
    const { id: older } = (await readPurchase(buyer))!
    // By itself it would be retried an hour later, and again after another. Paid links are polled an hour after they were opened.
    await withoutStops(shop, async () => {
      await upgrade(buyer)
      await advanceClock(buyer, '1h')
    })
    refuseCalls(shop, 1200)
    await advanceClock(buyer, '15m')
    const asked = calls()
    shop.emulator.onCall = undefined
    expect(await advanceClock(buyer, '5m')).toEqual([])
    expect(calls()).toBe(asked)
    expect(await advanceClock(buyer, '5m')).toEqual(['subscription.cancel_scheduled'])
    expect(await purchaseBy(buyer, older)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  })

  test('webhooks that arrive while the processor rate limits us are kept without a call, and take effect after that', async () => {
    const shop = getShop(acquiring, 1)
    const calls = callCounter(shop)
    const buyer = await buy(shop)
    const webhooks = await heldWebhooks(shop, async () => shop.there.renew(await getProcessorId(buyer)))
    refuseCalls(shop, 3600)
    const before = calls()
    for (const webhook of webhooks) expect(await sendWebhook(shop, webhook)).toMatchObject({ status: 200 })
    expect(calls()).toBe(before + 1)
    shop.emulator.onCall = undefined
    await advanceClock(buyer, '20m')
    expect(calls()).toBe(before + 1)
    await advanceClock(buyer, '1h')
    expect(await newEvents({ ...buyer, received: 3 })).toEqual(['payment.succeeded 999', 'subscription.renewed'])
  })
})
