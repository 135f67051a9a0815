import { describe, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call, type Reply } from '../support/call.ts'
import { until } from '../support/until.ts'
import { advanceClock, buy, decline, getProcessorId, newEvents, open, pay, readPurchase, readState } from './buyer.ts'
import { ODD_REPLIES } from './odd-replies.ts'
import { type Shop, useShops } from './shop.ts'
import {
  bought,
  changesSubscription,
  expectNoMoreCharges,
  findPurchase,
  makePastDue,
  replacing,
  upgrade,
  withoutStops,
} from './upgrading.ts'

// A buyer is never charged for two subscriptions: an older subscription is stopped, even if the processor fails meanwhile.

const getShop = useShops()

/** Runs `action` before or after the first call that stops a subscription. */
function aroundFirstStop({ emulator }: Shop, side: 'before' | 'after', action: () => Promise<unknown>) {
  let isFirst = true
  emulator.onCall = async (request, run) => {
    if (!isFirst || !changesSubscription(request)) return run()
    isFirst = false
    if (side === 'before') await action()
    const reply = await run()
    if (side === 'after') await action()
    return reply
  }
}

/** Answers all calls that change a subscription with an unexpected reply, and does not run them, while `meanwhile` runs. */
async function withOddStops({ emulator }: Shop, odd: string, meanwhile: () => Promise<unknown>): Promise<void> {
  emulator.onCall = async (request, run) => (changesSubscription(request) ? ODD_REPLIES[odd]! : run())
  await meanwhile()
  emulator.onCall = undefined
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test.each(['a 204', 'an empty object', 'null', 'HTML'])(
    'a stop that is answered with %s, and does nothing, is retried',
    async (odd) => {
      const shop = getShop(acquiring)
      const { buyer, purchaseId } = await bought(shop)
      await withOddStops(shop, odd, () => upgrade(buyer))
      expect(await readState(buyer)).toMatchObject({ being_replaced: [purchaseId] })
      await advanceClock(buyer, '25h')
      expect(await readState(buyer)).toMatchObject({ being_replaced: [] })
      await expectNoMoreCharges(buyer, purchaseId, 1)
    },
  )

  test('a stop of a past due subscription that is answered with an empty object, and does nothing, is retried', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId } = await bought(shop)
    await makePastDue(buyer)
    await advanceClock(buyer, '1h')
    const page = await open(shop, 'monthly', replacing(buyer))
    await decline(buyer, false)
    await withOddStops(shop, 'an empty object', async () => {
      await pay(page)
      await newEvents(buyer)
    })
    await advanceClock(buyer, '1h')
    await expectNoMoreCharges(buyer, purchaseId, 1)
  })

  test('a subscription that cannot be stopped for a day emits subscription.stop_failed once, and is stopped later', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const [older, processorId] = [(await readPurchase(buyer))!.id, await getProcessorId(buyer)]
    await withoutStops(shop, async () => {
      await upgrade(buyer)
      expect(await findPurchase(buyer, older)).toMatchObject({ status: 'active', cancel_at_period_end: false })
      expect(await readState(buyer)).toMatchObject({ being_replaced: [older] })
      expect(await advanceClock(buyer, '22h')).toEqual([])
      expect(await advanceClock(buyer, '4h')).toEqual(['subscription.stop_failed'])
      await shop.account.renew(processorId)
      expect(await newEvents(buyer)).toEqual(
        expect.arrayContaining(['payment.succeeded 999', 'payment.unexpected 999']),
      )
    })
    expect(await advanceClock(buyer, '25h')).toEqual(['subscription.cancel_scheduled'])
    expect(await findPurchase(buyer, older)).toMatchObject({ cancel_at_period_end: true })
    expect(await readState(buyer)).toMatchObject({ being_replaced: [] })
  })

  test('subscription.stop_failed is emitted an hour later if the retry that was to emit it was interrupted', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await withoutStops(shop, async () => {
      await upgrade(buyer)
      expect(await advanceClock(buyer, '23h')).toEqual([])
      shop.world.neon.onStatement = ({ query }, run) =>
        query.includes('record_stop_failure') ? Promise.reject(new ResponseLost()) : run()
      expect(await advanceClock(buyer, '2h')).toEqual([])
      shop.world.neon.onStatement = undefined
      expect(await advanceClock(buyer, '2h')).toEqual(['subscription.stop_failed'])
    })
  })

  test('a stop after which reads fail, and of which no webhook arrives, is stored within an hour', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId } = await bought(shop)
    await advanceClock(buyer, '1h')
    const page = await open(shop, 'monthly', replacing(buyer))
    shop.emulator.holdWebhooks()
    let failedReads = 0
    aroundFirstStop(shop, 'after', async () => {
      shop.emulator.onCall = async (request, run) => {
        if (request.method !== 'GET') return run()
        failedReads += 1
        return { status: 503, headers: {}, body: '{}' }
      }
    })
    await pay(page)
    await until('a read has failed', async () => failedReads > 0)
    await newEvents(buyer)
    shop.emulator.onCall = undefined
    await shop.emulator.sendHeldWebhooks(() => [])
    await advanceClock(buyer, '1h')
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ cancel_at_period_end: true })
  })

  test('a webhook that arrives while reconcile stops a subscription does not hide that it ends', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId, processorId } = await bought(shop)
    await withoutStops(shop, async () => {
      await upgrade(buyer)
    })
    shop.emulator.holdWebhooks()
    aroundFirstStop(shop, 'before', async () => {
      await shop.account.renew(processorId)
      await shop.emulator.sendHeldWebhooks()
      shop.emulator.holdWebhooks()
    })
    await advanceClock(buyer, '2m')
    shop.emulator.onCall = undefined
    await shop.emulator.sendHeldWebhooks(() => [])
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ cancel_at_period_end: true })
  })

  test.each(['before', 'after'] as const)(
    'cancel-subscription succeeds %s the processor has stopped the replaced subscription',
    async (side) => {
      const shop = getShop(acquiring)
      const buyer = await buy(shop)
      const { id: subscriptionId } = (await readPurchase(buyer))!
      await advanceClock(buyer, '1h')
      const page = await open(shop, 'monthly', replacing(buyer))
      const body = { paywallId: shop.paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'replaced' }
      let reply: Reply | undefined
      // If the webhook of the stop arrived before the buyer's call, that would be a second cancellation.
      shop.emulator.holdWebhooks()
      aroundFirstStop(shop, side, async () => {
        reply = await call(shop.world, '/api/paywall/cancel-subscription', { key: shop.key, body })
      })
      await pay(page)
      await until('the buyer has cancelled', async () => reply)
      shop.emulator.onCall = undefined
      await shop.emulator.sendHeldWebhooks()
      const received = await newEvents(buyer)
      expect(reply).toMatchObject({ status: 200, body: { subscription: { cancel_at_period_end: true } } })
      expect(received.filter((type) => type === 'subscription.cancel_scheduled')).toHaveLength(1)
      expect(await findPurchase(buyer, subscriptionId)).toMatchObject({ status: 'active', cancel_at_period_end: true })
      expect(await advanceClock(buyer, '2d')).toEqual([])
    },
  )
})

describe.each(PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.supportsUncancel))(
  '%s, where a cancellation can be undone:',
  (acquiring) => {
    test('a replaced subscription that its buyer has resumed is replaced again by the next purchase', async () => {
      const shop = getShop(acquiring)
      const { buyer, purchaseId, processorId } = await bought(shop)
      await upgrade(buyer)
      const second = (await readPurchase(buyer))!.id
      await shop.account.undo!(processorId)
      expect(await newEvents(buyer)).toEqual(['subscription.uncanceled'])
      await upgrade(buyer, 'plus')
      for (const id of [purchaseId, second])
        expect(await findPurchase(buyer, id)).toMatchObject({ cancel_at_period_end: true })
      await expectNoMoreCharges(buyer, purchaseId, 1)
      await expectNoMoreCharges(buyer, second, 1)
    })

    test('a replaced subscription that its buyer has resumed, and that cannot be stopped for a day, is reported again', async () => {
      const shop = getShop(acquiring)
      const { buyer, purchaseId, processorId } = await bought(shop)
      await withoutStops(shop, async () => {
        await upgrade(buyer)
        expect(await advanceClock(buyer, '26h')).toEqual(['subscription.stop_failed'])
      })
      expect(await advanceClock(buyer, '25h')).toEqual(['subscription.cancel_scheduled'])
      await shop.account.undo!(processorId)
      expect(await newEvents(buyer)).toEqual(['subscription.uncanceled'])
      const page = await open(shop, 'plus', replacing(buyer))
      await withoutStops(shop, async () => {
        await pay({ ...page, received: buyer.received })
        await newEvents(buyer)
        expect(await advanceClock(buyer, '26h')).toEqual(['subscription.stop_failed', 'subscription.stop_failed'])
      })
      await advanceClock(buyer, '25h')
      expect(await findPurchase(buyer, purchaseId)).toMatchObject({ cancel_at_period_end: true })
    })
  },
)
