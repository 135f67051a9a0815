import { describe, expect, test } from 'vitest'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  causeAtProcessor,
  decline,
  expectStoredAsAtProcessor,
  order,
  readState,
  readTokens,
} from './buyer.ts'
import { END_AFTER_LAST_RETRY, RETRY_FOR_WEEKS, retryForThreeWeeks } from './drivers/dunning.ts'
import { PAUSES_PAST_DUE, pause } from './drivers/pausing.ts'
import { type Shop, useShops } from './shop.ts'

// A subscription that is past due for twenty days, and then paid. The processor retries on its own schedule.

const getShop = useShops()

async function buyAndFailCharge(shop: Shop): Promise<Buyer> {
  await retryForThreeWeeks(shop)
  const buyer = await buy(shop)
  await decline(buyer, true)
  expect(await advancePastPeriodEnd(buyer)).toEqual(
    expect.arrayContaining(['payment.failed 999', 'subscription.past_due']),
  )
  return buyer
}

const PAST_DUE = [{ status: 'past_due' }]

describe.each(RETRY_FOR_WEEKS)('%s', (acquiring) => {
  test('a past due subscription keeps access for a week, blocks another one, and recovers when it is paid after twenty days', async () => {
    const buyer = await buyAndFailCharge(getShop(acquiring))
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: PAST_DUE })
    expect(await advanceClock(buyer, '5d')).not.toContain('subscription.access_ended')
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: PAST_DUE })
    const after = await advanceClock(buyer, '3d')
    expect(after.filter((type) => type === 'subscription.access_ended')).toHaveLength(1)
    expect(await readState(buyer)).toMatchObject({ paid: false, features: [], purchases: PAST_DUE })

    expect(await advanceClock(buyer, '11d')).not.toContain('subscription.access_ended')
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: PAST_DUE })
    await expectStoredAsAtProcessor(buyer)
    expect(await order(buyer.shop, 'yearly', { email: buyer.email })).toMatchObject({
      status: 409,
      body: { error: 'active_purchase', hasActivePurchase: true },
    })
    expect(await readTokens(buyer)).toBe(100)

    await decline(buyer, false)
    const recovered = await advanceClock(buyer, '3d')
    const paid = recovered.length > 0 ? recovered : await advancePastPeriodEnd(buyer)
    expect(paid).toEqual(
      expect.arrayContaining(['payment.succeeded 999', 'subscription.recovered', 'subscription.renewed']),
    )
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await readTokens(buyer)).toBe(200)
    await expectStoredAsAtProcessor(buyer)
  })
})

test(`${PAUSES_PAST_DUE}: a subscription paused after its grace period recovers only once it is paid`, async () => {
  const shop = getShop(PAUSES_PAST_DUE, 1)
  const buyer = await buyAndFailCharge(shop)
  expect(await advanceClock(buyer, '8d')).toContain('subscription.access_ended')
  expect(await causeAtProcessor(buyer, (id) => pause(shop, id))).toEqual(['subscription.updated'])
  await advanceClock(buyer, '2d')
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'paused' }] })
  await decline(buyer, false)
  expect(await causeAtProcessor(buyer, shop.account.recover)).toContain('subscription.recovered')
  expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
})

test(`${PAUSES_PAST_DUE}: pausing a past due subscription does not extend its grace period`, async () => {
  const shop = getShop(PAUSES_PAST_DUE)
  const buyer = await buyAndFailCharge(shop)
  expect(await advanceClock(buyer, '8d')).toContain('subscription.access_ended')
  await causeAtProcessor(buyer, (id) => pause(shop, id))
  expect(await causeAtProcessor(buyer, shop.account.resume)).not.toContain('subscription.recovered')
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: PAST_DUE })
  await decline(buyer, false)
  expect(await causeAtProcessor(buyer, shop.account.recover)).toContain('subscription.recovered')
})

test.each(END_AFTER_LAST_RETRY)(
  '%s: a past due subscription ends when the processor stops retrying, and another one can be bought',
  async (acquiring) => {
    const buyer = await buyAndFailCharge(getShop(acquiring))
    const received = await advanceClock(buyer, '30d')
    expect(received).toEqual(expect.arrayContaining(['subscription.access_ended', 'subscription.ended']))
    expect(received).not.toContain('subscription.recovered')
    expect(received).not.toContain('subscription.renewed')
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    expect(await readTokens(buyer)).toBe(100)
    await expectStoredAsAtProcessor(buyer)
    expect(await order(buyer.shop, 'yearly', { email: buyer.email })).toMatchObject({ status: 200 })
  },
)
