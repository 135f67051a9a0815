import { describe, expect, test } from 'vitest'
import { ownerEvents } from '../support/owner-events.ts'
import { advanceClock, type Buyer, cancelThroughApi, readPurchase, readState, readTokens } from './buyer.ts'
import { changesTo, getPlans } from './changing.ts'
import { deletesPending, LEAVES_PENDING, leavePending } from './drivers/plans.ts'
import { useShops } from './shop.ts'
import { bought, charges, purchaseBy, upgrade } from './upgrading.ts'

// A proration is left to be charged with the next period, but the subscription ends before it.

const getShop = useShops()

/** A buyer who has upgraded in the middle of a period, and has not paid the difference yet. */
async function owesDifference(acquiring: (typeof LEAVES_PENDING)[number]) {
  const shop = getShop(acquiring)
  await leavePending(shop)
  const { buyer, here } = await bought(shop)
  await advanceClock(buyer, '15d')
  const received = await changesTo(buyer, getPlans(shop).plus)
  expect(received.filter((type) => type.startsWith('payment'))).toEqual([])
  return { buyer, here }
}

const getCharges = async ({ shop: { world }, userId }: Buyer, type: string) =>
  (await ownerEvents(world, userId)).flatMap((event) => (event.type === type ? [event.data.payment] : []))

describe.each(LEAVES_PENDING)('%s', (acquiring) => {
  test('cancelled: it is charged at the end, for this purchase, and is neither an alarm nor a period', async () => {
    const { buyer, here } = await owesDifference(acquiring)
    const { current_period_end: end } = (await readPurchase(buyer))!
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    const received = await advanceClock(buyer, '20d')
    expect(received).toContain('subscription.ended')
    expect(received).not.toContain('payment.unexpected')
    expect(received).not.toContain('subscription.renewed')
    expect(await charges(buyer)).toEqual({ [here]: 2 })
    const [, difference] = await getCharges(buyer, 'payment.succeeded')
    expect(difference).toMatchObject({ purchase_id: here, price_slug: 'plus' })
    expect(difference?.amount).toBeGreaterThan(400)
    expect(difference?.amount).toBeLessThan(1000)
    expect(await readState(buyer)).toMatchObject({
      paid: false,
      features: [],
      purchases: [{ status: 'canceled', current_period_end: end }],
    })
    expect(await readTokens(buyer)).toBe(100)
    expect(await advanceClock(buyer, '40d')).toEqual([])
  })

  test('replaced: it is not charged, or the owner gets `payment.unexpected`', async () => {
    const { buyer, here } = await owesDifference(acquiring)
    await upgrade(buyer, 'plus')
    await advanceClock(buyer, '20d')
    expect(await purchaseBy(buyer, here)).toMatchObject({ status: 'canceled' })
    const alarms = await getCharges(buyer, 'payment.unexpected')
    expect((await charges(buyer))[here]).toBe(deletesPending(acquiring) ? 1 : 2)
    expect(alarms).toMatchObject(deletesPending(acquiring) ? [] : [{ purchase_id: here }])
    await advanceClock(buyer, '40d')
    expect((await charges(buyer))[here]).toBe(deletesPending(acquiring) ? 1 : 2)
  })
})
