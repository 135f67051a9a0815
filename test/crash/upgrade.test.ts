import { expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { type Buyer, buy, open, readPurchase, readState } from '../conformance/buyer.ts'
import { type Shop, useShops } from '../conformance/shop.ts'
import { changesSubscription, replacing } from '../conformance/upgrading.ts'
import { call } from '../support/call.ts'
import { press } from '../support/checkout.ts'
import { deliverAfterCrash } from '../support/owner-events.ts'

// Purchases that replace an older subscription are stored, and then the Workers are killed.

const getShop = useShops(1)

interface Upgrading {
  buyer: Buyer
  /** Our id of the subscription that is replaced. */
  older: string
  page: Buyer
}

/** A buyer who is about to pay for a purchase that replaces its subscription. */
async function prepareUpgrade(shop: Shop): Promise<Upgrading> {
  const buyer = await buy(shop)
  const older = (await readPurchase(buyer))!.id
  await shop.world.clock.advance(shop.paywall.id, '1h')
  return { buyer, older, page: await open(shop, 'monthly', replacing(buyer)) }
}

/** Resolves when the processor is asked to cancel a subscription. That call hangs until `over`, and gets no response. */
function waitForStop({ emulator }: Shop, side: 'before' | 'after', over: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  emulator.onCall = async (request, run) => {
    if (!changesSubscription(request)) return run()
    emulator.onCall = undefined
    if (side === 'after') await run()
    resolve()
    await over
    throw new DroppedCall()
  }
  return promise
}

/** The buyer pays and returns. Resolves once the processor is asked to cancel the older subscription. */
async function payAndReturn(
  { buyer: { shop }, page }: Upgrading,
  side: 'before' | 'after',
  over: Promise<void>,
): Promise<void> {
  shop.emulator.holdWebhooks()
  const stopRequested = waitForStop(shop, side, over)
  const returnUrl = await press(page.checkoutUrl, 'pay')
  // The response is lost with the Workers.
  call(shop.world, returnUrl).catch(() => null)
  await stopRequested
}

test.each(['before', 'after'] as const)(
  'at each processor, the older subscription is cancelled later if the Workers are killed %s its cancellation',
  async (side) => {
    const upgrades = await Promise.all(PROCESSOR_NAMES.map((acquiring) => prepareUpgrade(getShop(acquiring))))
    const { world } = upgrades[0]!.buyer.shop
    const over = Promise.withResolvers<void>()
    await Promise.all(upgrades.map((each) => payAndReturn(each, side, over.promise)))
    await world.workers.kill()
    over.resolve()
    await Promise.all(upgrades.map(({ buyer }) => buyer.shop.emulator.sendHeldWebhooks()))
    await deliverAfterCrash(world)

    for (const { buyer, older } of upgrades) {
      await world.clock.advance(buyer.shop.paywall.id, '5m')
      const { purchases } = await readState(buyer)
      expect(purchases.find(({ id }) => id === older)).toMatchObject({ status: 'active', cancel_at_period_end: true })
      expect(purchases.filter((each) => !each.cancel_at_period_end)).toMatchObject([{ status: 'active' }])
    }
  },
)
