import { expect, test } from 'vitest'
import { couponCheck } from '../../../lib/processors/chargebee/coupon.ts'
import type { CheckoutOrder, SoldDiscount } from '../../../lib/processors/processor.ts'
import { ACME, sdk } from './emulator/fixture.ts'
import { CHECKOUT_ID, CREDENTIALS, ONE_TIME, startAdapter } from './selling.ts'

// Discounts of offers, which are coupons at Chargebee, through the adapter and the official SDK.

type Coupon = NonNullable<Parameters<Awaited<ReturnType<typeof startAdapter>>['emulator']['setCoupons']>[1]>[string]

const half = (more: Partial<NonNullable<Coupon>> = {}): Coupon => ({
  discount_percentage: 50,
  duration_type: 'one_time',
  ...more,
})
const lasting = (period: number, period_unit: 'day' | 'week' | 'month' | 'year'): Coupon =>
  half({ duration_type: 'limited_period', period, period_unit })
const amount = (currency_code: string, discount_amount = 300): Coupon => ({
  discount_type: 'fixed_amount',
  discount_amount,
  currency_code,
  duration_type: 'one_time',
})

async function startWith(coupon: Coupon) {
  const started = await startAdapter()
  await started.emulator.setCoupons(ACME.paywallId, { SPRING: coupon })
  return started
}

/** The payments of a subscription that is sold with a coupon: the first one and four renewals. */
async function paymentsWith(coupon: Coupon, order: Partial<CheckoutOrder> = {}): Promise<(number | undefined)[][]> {
  const { emulator, sell, facts } = await startWith(coupon)
  await sell({ discount: 'SPRING', ...order })
  for (let renewal = 0; renewal < 4; renewal++) await emulator.renew(CHECKOUT_ID)
  return (await facts()).map(({ amount, discount }) => [amount, discount])
}

const whole = [999, 0]

test.each<[string, Coupon, number[][]]>([
  ['once', half(), [[499, 500], whole, whole, whole, whole]],
  ['for three months', lasting(3, 'month'), [[499, 500], [499, 500], [499, 500], whole, whole]],
  [
    'for ever',
    half({ discount_percentage: 20, duration_type: 'forever' }),
    [
      [799, 200],
      [799, 200],
      [799, 200],
      [799, 200],
      [799, 200],
    ],
  ],
  ['an amount, once', amount('USD'), [[699, 300], whole, whole, whole, whole]],
])('a coupon takes its part off %s', async (_, coupon, payments) => {
  expect(await paymentsWith(coupon)).toEqual(payments)
})

test('a one-time price is reduced', async () => {
  const { sell, facts } = await startWith(half({ discount_percentage: 10 }))
  await sell({ ...ONE_TIME, discount: 'SPRING' })
  expect(await facts()).toMatchObject([{ amount: 4410, discount: 490 }])
})

test('a change of plan is previewed without a coupon that has ended', async () => {
  const { emulator, adapter, sell, now } = await startWith(half())
  await sell({ discount: 'SPRING' })
  await emulator.renew(CHECKOUT_ID)
  const to = {
    processorPrice: 'pro-USD-monthly',
    currency: 'USD',
    amount: 999,
    quantity: 1,
    interval: 'month',
    intervalCount: 1,
  } as const
  const change = {
    key: 'change',
    subscriptionId: CHECKOUT_ID,
    to,
    when: 'period_end',
    pricedAt: now(),
    options: {},
  } as const
  expect(await adapter.previewPlanChange?.(change)).toMatchObject({ next: { amount: 999 } })
})

const plan = (constraint: 'all' | 'specific' | 'criteria' | 'none', item_price_ids: string[] = []): Coupon =>
  half({
    apply_on: 'each_specified_item',
    item_constraints: [{ item_type: 'plan', constraint, item_price_ids }],
  })

test.each<[string, Coupon]>([
  ['does not exist', null],
  ['has expired', half({ status: 'expired' })],
  ['was redeemed too often', half({ max_redemptions: 1, redemptions: 1 })],
  ['is in another currency', amount('EUR')],
  ['applies to another item price', plan('specific', ['team-USD-monthly'])],
])('a page is refused if the coupon %s', async (_, coupon) => {
  const { sell } = await startWith(coupon)
  await expect(sell({ discount: 'SPRING' })).rejects.toMatchObject({ kind: 'rejected', answered: true })
})

test('a coupon can be redeemed as often as its maximum says', async () => {
  const { sell } = await startWith(half({ max_redemptions: 2, redemptions: 1 }))
  await sell({ discount: 'SPRING' })
  const another = sell({ discount: 'SPRING', key: 'another', checkoutId: crypto.randomUUID() })
  await expect(another).rejects.toMatchObject({ kind: 'rejected' })
})

test('a page without an offer names no coupon', async () => {
  const { sell, facts } = await startWith(null)
  await sell()
  expect(await facts()).toMatchObject([{ amount: 999, discount: 0 }])
})

test("Chargebee's SDK reads a coupon", async () => {
  const { emulator } = await startWith(lasting(3, 'month'))
  expect((await sdk(emulator).coupon.retrieve('SPRING')).coupon).toMatchObject({
    id: 'SPRING',
    discount_percentage: 50,
    period: 3,
    period_unit: 'month',
  })
  await expect(sdk(emulator).coupon.retrieve('NONE')).rejects.toMatchObject({ api_error_code: 'resource_not_found' })
})

const MONTH = { interval: 'month', intervalCount: 1 } as const
const sold = (
  discount: SoldDiscount['discount'],
  ...recurring: SoldDiscount['prices'][number]['recurring'][]
): SoldDiscount => ({
  discount,
  prices: (recurring.length === 0 ? [MONTH] : recurring).map((each) => ({
    processorPrice: each ? 'pro-USD-monthly' : 'lifetime-EUR',
    recurring: each,
  })),
  startsAt: new Date('2026-05-01'),
  endsAt: null,
})
const perCustomer = (type: 'max_redemptions' | 'new_customer', value?: string): Coupon =>
  half({ coupon_constraints: [{ entity_type: 'customer', type, ...(value !== undefined && { value }) }] })
const unixTime = (day: string) => Date.parse(day) / 1000
const once = sold({ percent: 50, periods: 1 })
const three = sold({ percent: 50, periods: 3 })

test.each<[string, Coupon, SoldDiscount, string | null]>([
  ['a percentage, once', half(), once, null],
  ['another percentage', half({ discount_percentage: 40 }), once, 'takes off 40 %'],
  ['an amount instead', amount('USD'), once, 'takes off an amount'],
  ['a free quantity instead', half({ discount_type: 'offer_quantity' }), once, 'takes off offer_quantity'],
  ['three months', lasting(3, 'month'), three, null],
  ['another number of months', lasting(4, 'month'), three, 'lasts for 4 months, which is not 3 periods of each price'],
  [
    'for ever instead of months',
    half({ duration_type: 'forever' }),
    three,
    'lasts forever, which is not 3 periods of each price',
  ],
  ['years as months', lasting(36, 'month'), sold(three.discount, { interval: 'year', intervalCount: 1 }), null],
  ['weeks as days', lasting(42, 'day'), sold(three.discount, { interval: 'week', intervalCount: 2 }), null],
  [
    'weeks as months',
    lasting(1, 'month'),
    sold({ percent: 50, periods: 4 }, { interval: 'week', intervalCount: 1 }),
    'lasts for 1 months, which is not 4 periods of each price',
  ],
  [
    'of a month and a year',
    lasting(3, 'month'),
    sold(three.discount, MONTH, { interval: 'year', intervalCount: 1 }),
    'lasts for 3 months, which is not 3 periods of each price',
  ],
  ['months instead of once', lasting(1, 'month'), once, 'lasts for 1 months'],
  ['for ever', half({ duration_type: 'forever' }), sold({ percent: 50, periods: 'forever' }), null],
  ['once instead of for ever', half(), sold({ percent: 50, periods: 'forever' }), 'lasts one_time'],
  ['an amount of a one-time price', amount('EUR'), sold({ amount: 300, currency: 'EUR' }, null), null],
  [
    'another currency',
    amount('USD'),
    sold({ amount: 300, currency: 'EUR' }, null),
    'takes off another amount, or one in another currency',
  ],
  [
    'another amount',
    amount('EUR', 400),
    sold({ amount: 300, currency: 'EUR' }, null),
    'takes off another amount, or one in another currency',
  ],
  ['of all plans', plan('all'), once, null],
  ['of this plan', plan('specific', ['pro-USD-monthly']), once, null],
  ['of another plan', plan('specific', ['team-USD-monthly']), once, 'does not apply to pro-USD-monthly'],
  ['of no plan', plan('none'), once, 'does not apply to pro-USD-monthly'],
  ['of plans, not of charges', plan('all'), sold({ percent: 50 }, null), 'does not apply to lifetime-EUR'],
  ['by criteria', plan('criteria'), once, 'applies to item prices by criteria: name them instead'],
  ['that is archived', half({ status: 'archived' }), once, 'is archived'],
  [
    'that is used up',
    half({ max_redemptions: 5, redemptions: 5 }),
    once,
    'has been redeemed 5 times, which is its maximum',
  ],
  ['that is used up with the offer', half({ max_redemptions: 5, redemptions: 5 }), { ...once, max: 5 }, null],
  [
    'that is used up with the offer, and archived',
    half({ max_redemptions: 5, redemptions: 5, status: 'archived' }),
    { ...once, max: 5 },
    'is archived',
  ],
  [
    'that is used up with the offer, and has ended',
    half({ max_redemptions: 5, redemptions: 5, valid_till: unixTime('2020-01-01') }),
    { ...once, max: 5 },
    'ends at 2020-01-01T00:00:00.000Z: give the offer an ends_at, or remove that time',
  ],
  ['that can be used once more', half({ max_redemptions: 5, redemptions: 4 }), { ...once, max: 5 }, null],
  [
    'that is used up before the offer',
    half({ max_redemptions: 5 }),
    { ...once, max: 6 },
    'can be redeemed 5 times, and the offer 6 times',
  ],
  [
    'that has a limit, and the offer none',
    half({ max_redemptions: 5 }),
    once,
    'can be redeemed 5 times: give the offer a max, or remove that limit',
  ],
  ['that each customer can use as often', perCustomer('max_redemptions', '2'), { ...once, maxPerMember: 2 }, null],
  [
    'that each customer can use less often',
    perCustomer('max_redemptions', '1'),
    { ...once, maxPerMember: 2 },
    'can be redeemed 1 times by each user, and the offer 2 times',
  ],
  [
    'that begins after the offer',
    half({ status: 'future', valid_from: unixTime('2098-01-02') }),
    { ...once, startsAt: new Date('2098-01-01') },
    'starts at 2098-01-02T00:00:00.000Z, which is after the offer',
  ],
  [
    'that begins with the offer, in the future',
    half({ valid_from: unixTime('2098-01-01') }),
    { ...once, startsAt: new Date('2098-01-01') },
    null,
  ],
  [
    'that ends before the offer',
    half({ valid_till: unixTime('2098-01-01') }),
    { ...once, endsAt: new Date('2098-01-02') },
    'ends at 2098-01-01T00:00:00.000Z, which is before the offer',
  ],
  ['that has ended', half({ valid_till: unixTime('2020-01-01') }), once, 'is expired'],
  ['that is for new customers', perCustomer('new_customer'), once, 'has the constraint new_customer: remove it'],
  ['that does not exist', null, once, 'does not exist'],
])('plan compares the coupon with the offer: %s', async (_, coupon, offered, mismatch) => {
  const { emulator } = await startWith(coupon)
  const check = couponCheck(CREDENTIALS, { base: emulator.url, isTest: true, fetch, now: () => new Date() })
  expect(await check('SPRING', offered)).toBe(mismatch)
})

test('without access to coupons the check fails, and reports nothing about them', async () => {
  const { emulator } = await startWith(half())
  const options = { base: emulator.url, isTest: true, fetch, now: () => new Date() }
  const check = couponCheck({ ...CREDENTIALS, apiKey: 'test_other' }, options)
  await expect(check('SPRING', once)).rejects.toMatchObject({ kind: 'misconfigured' })
})
