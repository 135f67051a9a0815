import { expect, test } from 'vitest'
import type { CheckoutOrder } from '../../../lib/processors/processor.ts'
import { couponCheck } from '../../../lib/processors/stripe/coupon.ts'
import { ACME, sdk } from './emulator/fixture.ts'
import { ONE_TIME, startAdapter } from './selling.ts'

// Discounts of offers, which are coupons at Stripe, through the adapter and the official SDK.

const HALF = { percent_off: 50 }

/** A coupon, and what a subscription that is sold with it is charged: the first invoice and four renewals. */
async function chargesWith(coupon: object, order: Partial<CheckoutOrder> = {}): Promise<number[]> {
  const { emulator, subscribe, facts } = await startAdapter()
  await emulator.setCoupons(ACME.paywallId, { SPRING: coupon as never })
  const id = await subscribe({ discount: 'SPRING', ...order })
  for (let renewal = 0; renewal < 4; renewal++) await emulator.renew(id)
  return (await facts()).map(({ amount }) => amount)
}

test.each<[string, object, number[]]>([
  ['once', { ...HALF, duration: 'once' }, [499, 999, 999, 999, 999]],
  ['for three months', { ...HALF, duration: 'repeating', duration_in_months: 3 }, [499, 499, 499, 999, 999]],
  ['for ever', { percent_off: 20, duration: 'forever' }, [799, 799, 799, 799, 799]],
  ['an amount, once', { amount_off: 300, currency: 'usd', duration: 'once' }, [699, 999, 999, 999, 999]],
])('a coupon takes its part off %s', async (_, coupon, charges) => {
  expect(await chargesWith(coupon)).toEqual(charges)
})

test('a one-time price is reduced', async () => {
  const { emulator, sell, facts } = await startAdapter()
  await emulator.setCoupons(ACME.paywallId, { SPRING: { percent_off: 10, duration: 'once' } })
  const session = await sell({ ...ONE_TIME, discount: 'SPRING' })
  expect(session).toMatchObject({
    amount_subtotal: 4900,
    amount_total: 4410,
    total_details: { amount_discount: 490 },
    discounts: [{ coupon: 'SPRING', promotion_code: null }],
  })
  expect(await facts()).toMatchObject([{ amount: 4410 }])
})

test('a page with a discount asks for no promotion code, which Stripe would refuse', async () => {
  const { emulator, sell } = await startAdapter()
  await emulator.setCoupons(ACME.paywallId, { SPRING: { ...HALF, duration: 'forever' } })
  const options = { promotion_codes: true }
  expect(await sell({ options, discount: 'SPRING' })).toMatchObject({ allow_promotion_codes: null, amount_total: 499 })
  expect(await sell({ options, key: 'another' })).toMatchObject({ allow_promotion_codes: true, amount_total: 999 })
})

test.each<[string, object | null]>([
  ['is deleted', null],
  ['has expired', { ...HALF, duration: 'once', valid: false }],
  ['takes an amount off for ever', { amount_off: 100, currency: 'usd', duration: 'forever' }],
  ['is in another currency', { amount_off: 100, currency: 'eur', duration: 'once' }],
  ['applies to another product', { ...HALF, duration: 'once', products: ['prod_other'] }],
])('a page is refused if the coupon %s', async (_, coupon) => {
  const { emulator, sell } = await startAdapter()
  await emulator.setCoupons(ACME.paywallId, { SPRING: coupon as never })
  await expect(sell({ discount: 'SPRING' })).rejects.toMatchObject({ kind: 'rejected', answered: true })
})

test('a coupon can be redeemed as often as its maximum says', async () => {
  const { emulator, subscribe, sell } = await startAdapter()
  await emulator.setCoupons(ACME.paywallId, { SPRING: { ...HALF, duration: 'once', max_redemptions: 1 } })
  await subscribe({ discount: 'SPRING' })
  await expect(sell({ discount: 'SPRING', key: 'another' })).rejects.toMatchObject({ kind: 'rejected' })
  expect(await sdk(emulator).coupons.retrieve('SPRING')).toMatchObject({ valid: false, times_redeemed: 1 })
})

test.each([
  ['the offer has as many uses', { max: 1 }, null],
  ['the offer has more uses', { max: 2 }, 'is no longer valid'],
  ['the offer has any number', {}, 'is no longer valid'],
])('plan accepts a coupon that is used up only together with its offer: %s', async (_, limits, mismatch) => {
  const { emulator, subscribe } = await startAdapter()
  await emulator.setCoupons(ACME.paywallId, { SPRING: { ...HALF, duration: 'once', max_redemptions: 1 } })
  await subscribe({ discount: 'SPRING' })
  const check = couponCheck(ACME, { base: emulator.url, isTest: true, fetch, now: () => new Date() })
  const prices = [{ processorPrice: 'price_monthly', recurring: { interval: 'month', intervalCount: 1 } as const }]
  const offer = { discount: { percent: 50, periods: 1 }, prices, startsAt: new Date(), endsAt: null, ...limits }
  expect(await check('SPRING', offer)).toBe(mismatch)
})

test.each([
  ['2098-01-02', null],
  ['2098-01-03', null],
  ['2098-01-01', 'ends at 2098-01-01T00:00:00.000Z, which is before the offer'],
  ['2020-01-01', 'is no longer valid'],
])('plan compares the last time of a coupon with the end of the offer: %s', async (last, mismatch) => {
  const { emulator } = await startAdapter()
  const redeem_by = Date.parse(last) / 1000
  await emulator.setCoupons(ACME.paywallId, { SPRING: { ...HALF, duration: 'once', redeem_by } })
  const check = couponCheck(ACME, { base: emulator.url, isTest: true, fetch, now: () => new Date() })
  const prices = [{ processorPrice: 'price_monthly', recurring: { interval: 'month', intervalCount: 1 } as const }]
  const times = { startsAt: new Date(), endsAt: new Date('2098-01-02') }
  expect(await check('SPRING', { discount: { percent: 50, periods: 1 }, prices, ...times })).toBe(mismatch)
})

test("Stripe's SDK reads a coupon, and its products only on request", async () => {
  const { emulator } = await startAdapter()
  const products = ['prod_1']
  await emulator.setCoupons(ACME.paywallId, {
    SPRING: { ...HALF, duration: 'once', products },
    ALL: { ...HALF, duration: 'once' },
  })
  const { coupons } = sdk(emulator)
  expect(await coupons.retrieve('SPRING')).toMatchObject({ percent_off: 50, duration: 'once', valid: true })
  expect((await coupons.retrieve('SPRING')).applies_to).toBeUndefined()
  expect((await coupons.retrieve('SPRING', { expand: ['applies_to'] })).applies_to).toEqual({ products })
  expect((await coupons.retrieve('ALL', { expand: ['applies_to'] })).applies_to).toBeUndefined()
  await expect(coupons.retrieve('NONE')).rejects.toMatchObject({ code: 'resource_missing' })
})
