import { expect, test } from 'vitest'
import { couponCheck } from '../../../lib/processors/freemius/coupon.ts'
import { FREEMIUS } from '../../../lib/processors/freemius/definition.ts'
import type { SoldDiscount } from '../../../lib/processors/processor.ts'
import { PRICES } from './emulator/fixture.ts'
import { CREDENTIALS, order, startAdapter } from './fixture.ts'

// Discounts of offers, which are coupons at Freemius, through the adapter and the official SDK.

type Emulator = Awaited<ReturnType<typeof startAdapter>>['emulator']
type Coupon = NonNullable<Parameters<Emulator['setCoupons']>[1]>[string]

const HALF = { discount: 50 }
const FOREVER = { discount: 20, has_renewals_discount: true }
const DOLLARS = { discount: 3, discount_type: 'dollar', discounts: { usd: 3, eur: 2.5 } } as const

async function startWith(coupon: Coupon) {
  const started = await startAdapter()
  await started.emulator.setCoupons('1001', { SPRING: coupon })
  return started
}

/** The payments of a licence that is sold with a coupon: the first one and two renewals. */
async function paymentsWith(coupon: Coupon, price = PRICES.monthly) {
  const { checkout, adapter, readSnapshot, pass, now } = await startWith(coupon)
  const { page } = await checkout(price, 'pay', { discount: 'SPRING' })
  const { processorId: id } = (await readSnapshot(page))!
  for (const _ of [1, 2]) await pass(31.1)
  const observed = await adapter.observe({ kind: 'subscription', id })
  const { found, payments = [] } = adapter.decide(observed!, now())
  return { purchase: found?.purchase, payments: payments.map(({ amount, discount }) => [amount, discount]) }
}

test.each<[string, Coupon, number[][]]>([
  [
    'the first payment',
    HALF,
    [
      [499, 500],
      [999, 0],
      [999, 0],
    ],
  ],
  [
    'all payments',
    FOREVER,
    [
      [799, 200],
      [799, 200],
      [799, 200],
    ],
  ],
  [
    'an amount off the first one',
    DOLLARS,
    [
      [699, 300],
      [999, 0],
      [999, 0],
    ],
  ],
])('a coupon reduces %s', async (_, coupon, payments) => {
  const sold = await paymentsWith(coupon)
  expect(sold.payments).toEqual(payments)
  expect(sold.purchase).toMatchObject({
    unitAmount: 999,
    charged: payments[0]![0],
    priceCovered: true,
    status: 'active',
  })
})

test('a lifetime licence is reduced by an amount in its currency', async () => {
  const { payments } = await paymentsWith(DOLLARS, PRICES.lifetime)
  expect(payments).toEqual([[19600, 300]])
})

test('the payment of a change of plan is also less a credit, so what was taken off is not known', async () => {
  const { checkout, emulator, adapter, readSnapshot, now, pass } = await startWith(FOREVER)
  const { page } = await checkout(PRICES.monthly, 'pay', { discount: 'SPRING' })
  const { processorId: id } = (await readSnapshot(page))!
  await pass(1)
  await emulator.changePlan(emulator.subscriptions[0]!.id, PRICES.annual.id)
  const { payments = [] } = adapter.decide((await adapter.observe({ kind: 'subscription', id }))!, now())
  expect(payments.map(({ discount }) => discount)).toEqual([200, undefined])
})

test('the page of an offer takes no other coupon, which would replace it', async () => {
  const { adapter, emulator } = await startWith(HALF)
  await emulator.setPromotionCodes('1001', { SAVE20: 20 })
  const { url } = await adapter.openCheckout(order(PRICES.monthly, { discount: 'SPRING' }))
  const page = await (await fetch(url)).text()
  expect(page).not.toContain('Promotion code')
  expect(page).toContain('4.99')
})

const PAST = '2025-02-01 00:00:00'
const FUTURE = '2098-01-01 00:00:00'
const UNUSABLE: [string, Coupon, string][] = [
  ['does not exist', null, 'does not exist'],
  ['is switched off', { ...HALF, is_active: false }, 'is not active'],
  ['has not started', { ...HALF, start_date: FUTURE }, 'has not started'],
  ['has ended', { ...HALF, end_date: PAST }, 'has ended'],
  ['is used up', { ...HALF, redemptions: 5, redemptions_limit: 5 }, 'has been redeemed 5 times, which is its limit'],
  ['is for new users', { ...HALF, user_type: 'new' }, 'is for new users only'],
  ['is for license quotas', { ...HALF, licenses: '1,5' }, 'is for some license quotas only: remove that limit'],
  ['is for another plan', { ...HALF, plans: '502, 503' }, 'does not apply to the plan of 501:601'],
  ['is for another cycle', { ...HALF, billing_cycles: '12,0' }, 'does not apply to monthly prices'],
]

test.each(UNUSABLE)(
  'no page is opened, which would charge the whole price, if the coupon %s',
  async (_, coupon, why) => {
    const { adapter } = await startWith(coupon)
    await expect(adapter.openCheckout(order(PRICES.monthly, { discount: 'SPRING' }))).rejects.toMatchObject({
      kind: 'rejected',
      answered: true,
      message: `freemius: the coupon ${why}`,
    })
  },
)

const MONTH = { interval: 'month', intervalCount: 1 } as const
const sold = (discount: SoldDiscount['discount'], { id, interval } = PRICES.monthly): SoldDiscount => ({
  discount,
  prices: [{ processorPrice: id, recurring: interval === null ? null : { ...MONTH, interval } }],
  startsAt: new Date('2026-05-01'),
  endsAt: null,
})
const half = sold({ percent: 50, periods: 1 })

test.each<[string, Coupon, SoldDiscount, string | null]>([
  ...UNUSABLE.map(([what, coupon, why]): [string, Coupon, SoldDiscount, string] => [what, coupon, half, why]),
  ['of the first payment', HALF, half, null],
  ['that is used up with the offer', { ...HALF, redemptions_limit: 5, redemptions: 5 }, { ...half, max: 5 }, null],
  ['with the same limit', { ...HALF, redemptions_limit: 5 }, { ...half, max: 5 }, null],
  [
    'with a lower limit',
    { ...HALF, redemptions_limit: 5 },
    { ...half, max: 6 },
    'can be redeemed 5 times, and the offer 6 times',
  ],
  [
    'that begins with the offer, in the future',
    { ...HALF, start_date: FUTURE },
    { ...half, startsAt: new Date('2098-01-01') },
    null,
  ],
  [
    'that ends before the offer',
    { ...HALF, end_date: FUTURE },
    { ...half, endsAt: new Date('2098-01-02') },
    'ends at 2098-01-01T00:00:00.000Z, which is before the offer',
  ],
  ['once for each user', { ...HALF, is_one_per_user: true }, half, null],
  [
    'once for each user, and the offer twice',
    { ...HALF, is_one_per_user: true },
    { ...half, maxPerMember: 2 },
    'can be redeemed 1 times by each user, and the offer 2 times',
  ],
  [
    'for those who cancel',
    { ...HALF, isToStay: true, plans: '502', redemptions_limit: 1 },
    { ...half, isToStay: true },
    null,
  ],
  [
    'another percentage for those who cancel',
    { discount: 40, isToStay: true },
    { ...half, isToStay: true },
    'takes off 40 %',
  ],
  [
    'an amount in euros for those who cancel',
    { ...DOLLARS, isToStay: true },
    { ...sold({ amount: 250, currency: 'EUR', periods: 1 }, PRICES.euro), isToStay: true },
    null,
  ],
  [
    'not for those who cancel',
    HALF,
    { ...half, isToStay: true },
    'is not set as the cancellation coupon of the product',
  ],
  ['another percentage', { discount: 40 }, half, 'takes off 40 %'],
  ['an amount instead', DOLLARS, half, 'takes off an amount'],
  ['of all payments instead', { ...HALF, has_renewals_discount: true }, half, 'reduces renewals, too'],
  ['of all payments', FOREVER, sold({ percent: 20, periods: 'forever' }), null],
  [
    'of the first one instead',
    { discount: 20 },
    sold({ percent: 20, periods: 'forever' }),
    'reduces the first payment only',
  ],
  ['an amount in dollars', DOLLARS, sold({ amount: 300, currency: 'USD', periods: 1 }), null],
  ['an amount in euros', DOLLARS, sold({ amount: 250, currency: 'EUR', periods: 1 }, PRICES.euro), null],
  [
    'another amount in euros',
    DOLLARS,
    sold({ amount: 300, currency: 'EUR', periods: 1 }, PRICES.euro),
    'takes off another amount, or none in this currency',
  ],
  [
    'no amount in pounds',
    DOLLARS,
    sold({ amount: 300, currency: 'GBP', periods: 1 }),
    'takes off another amount, or none in this currency',
  ],
  [
    'a percentage instead',
    HALF,
    sold({ amount: 300, currency: 'USD' }, PRICES.lifetime),
    'takes off another amount, or none in this currency',
  ],
  [
    'of a lifetime licence',
    { ...HALF, billing_cycles: '0', plans: '501' },
    sold({ percent: 50 }, PRICES.lifetime),
    null,
  ],
])('plan compares the coupon with the offer: %s', async (_, coupon, offered, mismatch) => {
  const { emulator, now } = await startWith(coupon)
  const check = couponCheck(CREDENTIALS, { base: emulator.url, isTest: true, fetch, now })
  expect(await check('SPRING', offered)).toBe(mismatch)
})

test('a coupon is used up by those who buy with it, and each user can be limited to one', async () => {
  const { emulator, adapter, checkout } = await startWith({ ...HALF, redemptions_limit: 1 })
  await checkout(PRICES.monthly, 'pay', { discount: 'SPRING' })
  await expect(adapter.openCheckout(order(PRICES.monthly, { discount: 'SPRING' }))).rejects.toMatchObject({
    message: 'freemius: the coupon has been redeemed 1 times, which is its limit',
  })
  await emulator.setCoupons('1001', { SPRING: { ...HALF, is_one_per_user: true } })
  await checkout(PRICES.lifetime, 'pay', { discount: 'SPRING' })
  const payments = [...emulator.records.payments.values()].map(({ amount }) => amount)
  expect(payments).toEqual([499, PRICES.lifetime.amount])
})

test('a coupon is found among many', async () => {
  const { emulator, now } = await startAdapter()
  const others = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`OTHER${index}`, HALF]))
  await emulator.setCoupons('1001', { ...others, SPRING: DOLLARS })
  const check = couponCheck(CREDENTIALS, { base: emulator.url, isTest: true, fetch, now })
  expect(await check('SPRING', sold({ amount: 300, currency: 'USD', periods: 1 }))).toBeNull()
})

test('a number of periods cannot be expressed', () => {
  const problem = (periods: number | 'forever') => FREEMIUS.discounts?.problem({ percent: 50, periods }, MONTH)
  expect([1, 'forever' as const].map(problem)).toEqual([null, null])
  expect(problem(2)).toBe('reduces the first payment only, or all of them')
})
