import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { refusal } from '../support/refusal.ts'
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
import type { Webhook } from './drivers/driver.ts'
import { reconcileAll } from './reconcile.ts'
import { type Shop, useShops } from './shop.ts'
import { findPurchase, upgrade, withoutStops } from './upgrading.ts'
import { heldWebhooks, sendWebhook, webhooksSince } from './webhook.ts'

// Rate limits and trial limits of processors, and enumeration values that they have added.

const getShop = useShops()

afterEach(() => {
  for (const acquiring of PROCESSOR_NAMES) getShop(acquiring).emulator.onCall = undefined
})

/** Answers every call with 429 and this `Retry-After`. */
function rateLimitCalls({ emulator }: Shop, seconds: number): void {
  emulator.onCall = async () => ({ status: 429, headers: { 'Retry-After': String(seconds) }, body: '{}' })
}

/** Returns a function that counts the calls to the shop's own account. */
function callCounter({ emulator, paywall }: Shop): () => number {
  const account = emulator.getAccount(paywall.id)
  return () => emulator.calls.filter((call) => call.account === account).length
}

/** Sends a webhook that is kept, or refused until the processor may be called again. Returns the status. */
async function expectHeld(shop: Shop, webhook: Webhook): Promise<number> {
  const { status, headers } = await sendWebhook(shop, webhook)
  expect([200, 502]).toContain(status)
  if (status === 502) expect(Number(headers['retry-after'])).toBeGreaterThan(1200)
  return status
}

const setValues = ({ emulator, paywall }: Shop, values: Readonly<Record<string, string>>) =>
  (emulator as unknown as { setValues(id: string, values: object): Promise<void> }).setValues(paywall.id, values)

/** Records everything that the processor sends us from now on: responses and webhooks. */
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
  test('start-checkout returns the Retry-After of the processor, and a retry with the same key then opens a page', async () => {
    const shop = getShop(acquiring)
    const options = { headers: { 'idempotency-key': randomUUID() }, email: newEmail() }
    rateLimitCalls(shop, 17)
    const refused = await order(shop, 'monthly', options)
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([
      502,
      refusal('processor_unavailable'),
      '17',
    ])
    shop.emulator.onCall = undefined
    expect(await order(shop, 'monthly', options)).toMatchObject({ status: 200 })
  })

  test('sales, renewals and refunds work with unknown values of open enumerations', async () => {
    const shop = getShop(acquiring)
    const { newValues } = shop.driver
    await setValues(shop, newValues)
    const received = recordTexts(shop)
    const buyer = await buy(shop)
    expect(await causeAtProcessor(buyer, shop.account.renew)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
    expect(await causeAtProcessor(buyer, (id) => shop.account.refund(id, 300))).toEqual(['payment.refunded 300'])
    expect(await causeAtProcessor(buyer, shop.account.refund)).toEqual(['payment.refunded 699'])
    const texts = received()
    await setValues(shop, {})
    for (const value of Object.values(newValues)) expect(texts).toContain(value)
    await expectStoredAsAtProcessor(buyer)
  })

  test('a read with an unknown status does not change the stored state, and a later read updates it', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const oneTimeBuyer = await buy(shop, 'lifetime')
    const states = async () => [await readState(buyer), await readState(oneTimeBuyer)]
    const before = await states()
    await setValues(shop, { status: 'frozen', created: 'frozen' })
    await reconcileAll(shop)
    expect(await states()).toEqual(before)
    expect([await newEvents(buyer), await newEvents(oneTimeBuyer)]).toEqual([[], []])
    await setValues(shop, {})
    expect(await causeAtProcessor(buyer, shop.account.renew)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
    await expectStoredAsAtProcessor(buyer)
    expect(await causeAtProcessor(oneTimeBuyer, shop.account.refund)).toEqual(['payment.refunded 4900'])
    expect(await readState(oneTimeBuyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })

  test('a requested trial cannot be longer than the price’s own, and a user who has had a trial gets none', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key, capabilities } = shop
    const { token, email } = await signIn(world, { paywallId: paywall.id, key })
    const ask = (body: object) =>
      startCheckout(world, { paywall, token, body: { priceId: getPriceId(paywall, 'yearly'), ...body } })
    const longer = await ask({ trial_days: 30 })
    if (capabilities.trialLength === 'of the product') {
      expect(longer).toMatchObject({
        status: 400,
        body: { error: 'Invalid trial_days', message: expect.stringContaining('7-day') },
      })
    }
    const opened = parseOpened(capabilities.trialLength === 'any' ? longer : await ask({}))
    const buyer = { shop, email, ...opened, received: 0 }
    await press(buyer.checkoutUrl, 'pay')
    await newEvents(buyer)
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

  test('reconcile makes no calls during the processor’s Retry-After, while checkouts still work, and then continues', async () => {
    const shop = getShop(acquiring, 1)
    const calls = callCounter(shop)
    const buyer = await open(shop)
    rateLimitCalls(shop, 3600)
    await advanceClock(buyer, '16m')
    const callsBefore = calls()
    shop.emulator.onCall = undefined
    await advanceClock(buyer, '20m')
    expect(calls()).toBe(callsBefore)
    const other = await open(shop)
    await pay(other)
    expect(await readPurchase(other)).toMatchObject({ status: 'active' })
    const before = calls()
    await advanceClock(buyer, '2h')
    expect(calls()).toBeGreaterThan(before)
  })

  test('stopping a replaced subscription is retried after the processor’s Retry-After, and not before', async () => {
    const shop = getShop(acquiring, 1)
    const calls = callCounter(shop)
    const buyer = await buy(shop)
    const { id: older } = (await readPurchase(buyer))!
    // Without a Retry-After it would be retried every hour. Paid links are polled an hour after they were opened.
    await withoutStops(shop, async () => {
      await upgrade(buyer)
      await advanceClock(buyer, '1h')
    })
    rateLimitCalls(shop, 1200)
    await advanceClock(buyer, '15m')
    const callsBefore = calls()
    shop.emulator.onCall = undefined
    expect(await advanceClock(buyer, '5m')).toEqual([])
    expect(calls()).toBe(callsBefore)
    expect(await advanceClock(buyer, '5m')).toEqual(['subscription.cancel_scheduled'])
    expect(await findPurchase(buyer, older)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  })

  test('webhooks that arrive during the processor’s Retry-After are kept without a call, and take effect afterwards', async () => {
    const shop = getShop(acquiring, 1)
    const calls = callCounter(shop)
    const buyer = await buy(shop)
    const webhooks = await heldWebhooks(shop, async () => shop.account.renew(await getProcessorId(buyer)))
    rateLimitCalls(shop, 3600)
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

describe.each([
  ['refund', 'payment.refunded 999', PROCESSOR_NAMES],
  [
    'dispute',
    'payment.disputed 999',
    PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.sendsDisputeWebhook),
  ],
] as const)('a %s', (act, reported, names) => {
  test.each(names)(
    '%s: its webhooks that arrive during the processor’s Retry-After are kept or refused without a call, and take effect afterwards',
    async (acquiring) => {
      const shop = getShop(acquiring, 1)
      const calls = callCounter(shop)
      const buyer = await buy(shop)
      const webhooks = await heldWebhooks(shop, async () => shop.account[act](await getProcessorId(buyer)))
      expect(webhooks).not.toEqual([])
      rateLimitCalls(shop, 3600)
      const before = calls()
      for (const webhook of webhooks) await expectHeld(shop, webhook)
      expect(calls()).toBe(before + 1)
      shop.emulator.onCall = undefined
      await advanceClock(buyer, '20m')
      const refused: Webhook[] = []
      for (const webhook of webhooks) if ((await expectHeld(shop, webhook)) === 502) refused.push(webhook)
      expect(calls()).toBe(before + 1)

      await advanceClock(buyer, '1h')
      for (const webhook of refused) expect(await sendWebhook(shop, webhook)).toMatchObject({ status: 200 })
      await advanceClock(buyer, '1h')
      const received = await newEvents({ ...buyer, received: 3 })
      expect(received.filter((name) => name === reported)).toEqual([reported])
    },
  )
})
