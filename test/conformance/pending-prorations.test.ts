import { describe, expect, test } from 'vitest'
import { ownerEvents } from '../support/owner-events.ts'
import { advanceClock, type Buyer, cancelThroughApi, readPurchase, readState, readTokens } from './buyer.ts'
import { changePlanAndSync, getPlans } from './changing.ts'
import { deletesPending, LEAVES_PENDING, leavePending } from './drivers/plans.ts'
import { useShops } from './shop.ts'
import { bought, charges, findPurchase, upgrade } from './upgrading.ts'

// A proration is to be charged with the next period, but the subscription ends before that.

const getShop = useShops()

/** A buyer who changed to a more expensive plan in the middle of a period, and has not paid the difference yet. */
async function buyAndOweProration(acquiring: (typeof LEAVES_PENDING)[number]) {
  const shop = getShop(acquiring)
  await leavePending(shop)
  const { buyer, purchaseId } = await bought(shop)
  await advanceClock(buyer, '15d')
  const received = await changePlanAndSync(buyer, getPlans(shop).plus)
  expect(received.filter((type) => type.startsWith('payment'))).toEqual([])
  return { buyer, purchaseId }
}

const getCharges = async ({ shop: { world }, userId }: Buyer, type: string) =>
  (await ownerEvents(world, userId)).flatMap((event) => (event.type === type ? [event.data.payment] : []))

describe.each(LEAVES_PENDING)('%s', (acquiring) => {
  test('a cancelled subscription is charged the proration at its end, without payment.unexpected and without a new period', async () => {
    const { buyer, purchaseId } = await buyAndOweProration(acquiring)
    const { current_period_end: end } = (await readPurchase(buyer))!
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    const received = await advanceClock(buyer, '20d')
    expect(received).toContain('subscription.ended')
    expect(received).not.toContain('payment.unexpected')
    expect(received).not.toContain('subscription.renewed')
    expect(await charges(buyer)).toEqual({ [purchaseId]: 2 })
    const [, difference] = await getCharges(buyer, 'payment.succeeded')
    expect(difference).toMatchObject({ purchase_id: purchaseId, price_slug: 'plus' })
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

  test('a replaced subscription is not charged the proration, or the owner gets payment.unexpected', async () => {
    const { buyer, purchaseId } = await buyAndOweProration(acquiring)
    await upgrade(buyer, 'plus')
    await advanceClock(buyer, '20d')
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
    const alarms = await getCharges(buyer, 'payment.unexpected')
    expect((await charges(buyer))[purchaseId]).toBe(deletesPending(acquiring) ? 1 : 2)
    expect(alarms).toMatchObject(deletesPending(acquiring) ? [] : [{ purchase_id: purchaseId }])
    await advanceClock(buyer, '40d')
    expect((await charges(buyer))[purchaseId]).toBe(deletesPending(acquiring) ? 1 : 2)
  })
})
