import { afterEach, describe, expect, test } from 'vitest'
import type { CallInterceptor, RecordedCall } from '../../dev/emulators/core/calls.ts'
import type { HttpResponse } from '../../dev/emulators/core/server.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { cancel } from '../support/subscriber.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  getSale,
  newEvents,
  readPurchase,
  readState,
} from './buyer.ts'
import { getDriver } from './drivers/drivers.ts'
import { paysChangesAtOnce } from './drivers/plans.ts'
import { reconcileAll } from './reconcile.ts'
import { type Shop, useShops } from './shop.ts'
import { heldWebhooks, sendWebhook } from './webhook.ts'

// Reads that return older data than what is stored. Only processors whose reads may be stale have versions.

const getShop = useShops(1)

const VERSIONED = PROCESSOR_NAMES.filter((acquiring) => getDriver(acquiring).readsMayBeStale)

afterEach(() => {
  for (const acquiring of VERSIONED) getShop(acquiring).emulator.onCall = undefined
})

const pendingEvents = async ({ world }: Shop) => (await world.database.query('select from pending_events')).rowCount

/** Records the current replies to all reads, to replay them later. */
async function recordReads(shop: Shop) {
  const { emulator } = shop
  const replies = new Map<string, HttpResponse>()
  const getName = ({ method, path, body }: RecordedCall) => `${method} ${path} ${JSON.stringify(body)}`
  emulator.onCall = async (call, run) => {
    const reply = await run()
    replies.set(getName(call), reply)
    return reply
  }
  await reconcileAll(shop)
  emulator.onCall = undefined
  const answerReads: CallInterceptor<unknown> = async (call, run) =>
    (call.method === 'GET' && replies.get(getName(call))) || run()
  return { answerReads }
}

type ActionCase = [title: string, act: (buyer: Buyer, id: string) => Promise<unknown>, received: string[]]

const getActions = (acquiring: ProcessorName): ActionCase[] => [
  ['a cancellation', ({ shop }, id) => shop.account.cancel(id), ['subscription.cancel_scheduled']],
  ['an end', ({ shop }, id) => shop.account.end!(id), ['subscription.ended']],
  [
    'a change of plan',
    ({ shop: { account, driver } }, id) => account.changePlan!(id, driver.prices.plus),
    [...(paysChangesAtOnce(acquiring) ? ['payment.succeeded 1000'] : []), 'subscription.plan_changed'],
  ],
  ['a renewal', ({ shop }, id) => shop.account.renew(id), ['payment.succeeded 999', 'subscription.renewed']],
]

describe.each(VERSIONED)('%s', (acquiring) => {
  test.each(getActions(acquiring))(
    'the webhook of %s is accepted, takes effect once a read shows it, and is not undone by a stale read',
    async (_, act, received) => {
      const shop = getShop(acquiring)
      const buyer = await buy(shop)
      const before = await readPurchase(buyer)
      shop.emulator.onCall = (await recordReads(shop)).answerReads
      await act(buyer, await getProcessorId(buyer))
      expect(await newEvents(buyer)).toEqual([])
      expect(await pendingEvents(shop)).toBeGreaterThan(0)
      await reconcileAll(shop)
      expect(await readPurchase(buyer)).toEqual(before)

      shop.emulator.onCall = undefined
      expect(await advanceClock(buyer, '1m')).toEqual(received)
      expect(await pendingEvents(shop)).toBe(0)
      await expectStoredAsAtProcessor(buyer)
    },
  )

  test('a stale read does not undo the stored state, even if no event is pending', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const { answerReads } = await recordReads(shop)
    await shop.account.end!(await getProcessorId(buyer))
    expect(await newEvents(buyer)).toEqual(['subscription.ended'])
    shop.emulator.onCall = answerReads
    await reconcileAll(shop)
    expect(await newEvents(buyer)).toEqual([])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  })

  test.each<[title: string, before: (buyer: Buyer, id: string) => Promise<unknown>]>([
    ['no cancellation', () => Promise.resolve()],
    ['a cancellation that was undone since', ({ shop }, id) => shop.account.cancel(id)],
  ])(
    'cancel-subscription returns 502 if only a stale read with %s follows, and the cancellation is synced later',
    async (_, before) => {
      const shop = getShop(acquiring)
      const buyer = await buy(shop)
      await causeAtProcessor(buyer, (id) => before(buyer, id))
      const { answerReads } = await recordReads(shop)
      if ((await readPurchase(buyer))?.cancel_at_period_end) await causeAtProcessor(buyer, shop.account.undo)
      shop.emulator.holdWebhooks()
      shop.emulator.onCall = async (call, run) => {
        if (call.method === 'GET') return answerReads(call, run)
        await run()
        return { status: 204, headers: {}, body: '' }
      }
      expect(await cancelThroughApi(buyer)).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
      shop.emulator.onCall = undefined
      await shop.emulator.sendHeldWebhooks(() => [])
      expect(await readPurchase(buyer)).toMatchObject({ cancel_at_period_end: false })
      expect(await advanceClock(buyer, '11m')).toEqual(['subscription.cancel_scheduled'])
      await expectStoredAsAtProcessor(buyer)
    },
  )

  test('a refused cancellation is not confirmed by a stale read with an earlier, undone cancellation', async () => {
    const shop = getShop(acquiring)
    const { emulator } = shop
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.cancel)
    const { answerReads } = await recordReads(shop)
    await causeAtProcessor(buyer, shop.account.undo)
    emulator.onCall = async (call, run) => {
      if (call.method !== 'GET') emulator.failNext(call.path, 422)
      return answerReads(call, run)
    }
    const reply = await cancelThroughApi(buyer)
    emulator.onCall = undefined
    expect(reply).toMatchObject({ status: 502, body: { error: expect.stringMatching(/^processor_/) } })
    expect((await getSale(buyer)).renews).toBe(true)
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
    await expectStoredAsAtProcessor(buyer)
  })

  test('a confirmed cancellation is not undone by a stale read before its webhook arrives', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key, emulator } = shop
    const buyer = await buy(shop)
    const { answerReads } = await recordReads(shop)
    const subscriptionId = (await readPurchase(buyer))?.id
    const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'x' }
    const ask = () => cancel(world, { key, body })
    emulator.holdWebhooks()
    expect(await ask()).toMatchObject({ status: 200 })
    emulator.onCall = answerReads
    await reconcileAll(shop)
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'Subscription is already cancelled' } })
    emulator.onCall = undefined
    await emulator.sendHeldWebhooks(() => [])
    expect(await advanceClock(buyer, '11m')).toEqual(['subscription.cancel_scheduled'])
    await expectStoredAsAtProcessor(buyer)
  })

  test('a read with newer data is stored even if a read with older data began later and was stored first', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const { answerReads } = await recordReads(shop)
    const [webhook] = await heldWebhooks(shop, async () => shop.account.end!(await getProcessorId(buyer)))
    const [begun, isStored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    shop.emulator.onCall = async (_, run) => {
      begun.resolve()
      await isStored.promise
      return run()
    }
    const reply = sendWebhook(shop, webhook!)
    await begun.promise
    shop.emulator.onCall = answerReads
    await reconcileAll(shop)
    shop.emulator.onCall = undefined
    isStored.resolve()
    expect((await reply).status).toBe(200)
    expect(await newEvents(buyer)).toEqual(['subscription.ended'])
    await expectStoredAsAtProcessor(buyer)
  })

  test('a read with a newer subscription but older payments than what is stored is not stored', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const id = await getProcessorId(buyer)
    const { answerReads } = await recordReads(shop)
    await causeAtProcessor(buyer, shop.account.renew)
    const fetchedAt = async () => {
      await reconcileAll(shop)
      const { rows } = await shop.world.database.query('select fetched_at from purchases where processor_id = $1', [id])
      return rows[0].fetched_at.getTime()
    }
    const before = await fetchedAt()
    shop.emulator.onCall = async (call, run) => (call.path.endsWith(`/${id}`) ? run() : answerReads(call, run))
    expect(await fetchedAt()).toBe(before)
    shop.emulator.onCall = undefined
    expect(await fetchedAt()).toBeGreaterThan(before)
  })

  test('after a year of payments, new webhooks still take effect immediately, although reads have only the latest ones', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await advanceClock(buyer, '380d')
    const [first] = (await getSale(buyer)).paid
    await shop.account.refund(first!)
    expect(await newEvents(buyer)).toEqual(['payment.refunded 999'])
    const { plus, monthly } = shop.driver.prices
    for (const price of [plus, monthly, plus]) {
      expect(await causeAtProcessor(buyer, (id) => shop.account.changePlan!(id, price))).toContain(
        'subscription.plan_changed',
      )
    }
    await shop.account.end!(await getProcessorId(buyer))
    expect(await newEvents(buyer)).toEqual(['subscription.ended'])
    expect(await readState(buyer)).toMatchObject({ paid: false })
    expect(await pendingEvents(shop)).toBe(0)
  })
})
