import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  readPurchase,
  readState,
} from './buyer.ts'
import { pause, pauses } from './drivers/pausing.ts'
import { schedulesPlans } from './drivers/stopping.ts'
import { beforeWebhooksArrive } from './money.ts'
import { useShops } from './shop.ts'

// Scheduled ends, and how responses and events report them.

const getShop = useShops(1)

const HOUR_MS = 3_600_000

/** The duration of a slow read: some purchases need three reads, one after the other. */
const SLOW_MS = 7_000

describe.each(PROCESSOR_NAMES.filter(schedulesPlans))('%s', (acquiring) => {
  test('a subscription with a scheduled change of plan can be cancelled, and ends with its period on the old plan', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => shop.account.schedulePlan!(id, shop.driver.prices.yearly))
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200, body: { subscription: { status: 'active' } } })
    await expectStoredAsAtProcessor(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', cancel_at_period_end: true })
    expect(await advancePastPeriodEnd(buyer)).toContain('subscription.ended')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', status: 'canceled' })
  })
})

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a cancelled trial emits no subscription.trial_ending, and no payments', async () => {
    const shop = getShop(acquiring)
    const [byApi, atProcessor, missed] = [
      await buy(shop, 'yearly'),
      await buy(shop, 'yearly'),
      await buy(shop, 'yearly'),
    ]
    await cancelThroughApi(byApi)
    await causeAtProcessor(atProcessor, shop.account.cancel)
    await beforeWebhooksArrive(missed, shop.account.cancel)
    await advanceClock(byApi, '9d')
    for (const buyer of [byApi, atProcessor, missed]) {
      const received = await newEvents({ ...buyer, received: 0 })
      expect(received).not.toContain('subscription.trial_ending')
      expect(received.filter((name) => name.startsWith('payment.'))).toEqual([])
      expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    }
  })
})

test.each(PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.supportsImmediateEnd))(
  '%s: a trial that was ended immediately emits no subscription.trial_ending, even if the webhooks arrive in reverse order',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const { clock } = shop.world
    const buyer = await buy(shop, 'yearly')
    // When a processor sends its reminder. If it sends none, we poll an hour later.
    const noticeAt = Date.parse(String((await readPurchase(buyer))?.trial_end)) - 72 * HOUR_MS
    await clock.moveTo(shop.paywall.id, new Date(noticeAt - HOUR_MS / 4))
    shop.emulator.holdWebhooks()
    await clock.moveTo(shop.paywall.id, new Date(noticeAt + HOUR_MS / 4))
    expect(await newEvents(buyer)).toEqual([])
    await shop.account.end!(await getProcessorId(buyer))
    await shop.emulator.sendHeldWebhooks((events) => events.toReversed())
    expect(await newEvents(buyer)).toEqual(['subscription.ended'])
    expect(await advanceClock(buyer, '9d')).toEqual([])
  },
)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('cancelling a past due subscription returns whether it continues or has ended', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.failCharge)
    const reply = await cancelThroughApi(buyer)
    const { subscription, message } = reply.body as { subscription: Record<string, unknown>; message: string }
    expect(reply).toMatchObject({ status: 200, body: { success: true } })
    expect(subscription.cancel_at_period_end).toBe(true)
    await newEvents(buyer)
    await expectStoredAsAtProcessor(buyer)
    const purchase = await readPurchase(buyer)
    expect(subscription.status).toBe(purchase?.status)
    expect(message.includes('has ended')).toBe(purchase?.status === 'canceled')
    if (purchase?.status === 'canceled') expect(subscription.cancel_at).toBe(subscription.canceled_at)
    else expect(subscription.cancel_at).toBe(purchase?.cancel_at)
  })
})

describe.each(PROCESSOR_NAMES.filter(pauses))('%s', (acquiring) => {
  test('a subscription that is cancelled while paused is never charged again', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => pause(shop, id))
    expect(await readPurchase(buyer)).toMatchObject({ status: 'paused', cancel_at_period_end: false })
    const reply = await cancelThroughApi(buyer)
    expect(reply).toMatchObject({ status: 200, body: { subscription: { cancel_at_period_end: true } } })
    await newEvents(buyer)
    await expectStoredAsAtProcessor(buyer)
    const { subscription, message } = reply.body as { subscription: Record<string, unknown>; message: string }
    const purchase = await readPurchase(buyer)
    expect(subscription).toMatchObject({ status: purchase?.status, cancel_at: purchase?.cancel_at })
    expect(message.includes('has ended')).toBe(purchase?.status === 'canceled')
    expect((await advanceClock(buyer, '33d')).filter((name) => name.startsWith('payment.'))).toEqual([])
  })
})

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('cancel-subscription returns 502 if no read confirms it in time, and the cancellation is synced later', async () => {
    const shop = getShop(acquiring)
    const { world, emulator } = shop
    const buyer = await buy(shop)
    emulator.holdWebhooks()
    const unblocked = Promise.withResolvers<void>()
    let hasWritten = false
    emulator.onCall = async ({ method }, run) => {
      const reply = await run()
      if (method !== 'GET') hasWritten = true
      else if (hasWritten) await Promise.race([unblocked.promise, setTimeout(SLOW_MS, null, { ref: false })])
      return method === 'GET' ? reply : { status: 204, headers: {}, body: '' }
    }
    const startedAt = Date.now()
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
    expect(Date.now() - startedAt).toBeLessThan(12_000)
    emulator.onCall = undefined
    unblocked.resolve()
    await emulator.sendHeldWebhooks(() => [])
    const { rows } = await world.database.query(
      'select cancel_requested_at is not null as marked from purchases where user_id = $1',
      [buyer.userId],
    )
    expect(rows).toEqual([{ marked: true }])
    expect(await advanceClock(buyer, '11m')).toEqual(['subscription.cancel_scheduled'])
    await expectStoredAsAtProcessor(buyer)
  })
})
