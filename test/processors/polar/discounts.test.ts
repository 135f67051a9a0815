import { expect, test } from 'vitest'
import { discountCheck } from '../../../lib/processors/polar/discount.ts'
import type { CheckoutOrder, SoldDiscount } from '../../../lib/processors/processor.ts'
import { ACME, MONTHLY } from './emulator/fixture.ts'
import { lifetime, openShop } from './shop.ts'

// Discounts of offers at Polar, through the adapter.

const SPRING = '7c1f0f5e-2c55-4f0e-9a4e-2f6f0b7a9001'
type Discounts = NonNullable<Parameters<Awaited<ReturnType<typeof openShop>>['emulator']['setDiscounts']>[1]>

/** A discount, and what a subscription that is sold with it is charged: the first order and four renewals. */
async function chargesWith(discount: Discounts[string], more: Partial<CheckoutOrder> = {}): Promise<number[]> {
  const { emulator, buy, events } = await openShop()
  await emulator.setDiscounts(ACME.paywallId, { [SPRING]: discount })
  const { purchase } = await buy({ discount: SPRING, ...more })
  for (let renewal = 0; renewal < 4; renewal++) await emulator.renew(purchase.processorId)
  return (await events()).flatMap(({ payment }) => (payment?.kind === 'succeeded' ? payment.amount : []))
}

test.each<[string, Discounts[string], number[]]>([
  ['once', { basis_points: 5000, duration: 'once' }, [499, 999, 999, 999, 999]],
  ['for three months', { basis_points: 5000, duration: 'repeating', duration_in_months: 3 }, [499, 499, 499, 999, 999]],
  ['for ever', { basis_points: 2000, duration: 'forever' }, [799, 799, 799, 799, 799]],
  ['an amount, for ever', { amounts: { usd: 300 }, duration: 'forever' }, [699, 699, 699, 699, 699]],
])('a discount takes its part off %s', async (_, discount, charges) => {
  expect(await chargesWith(discount)).toEqual(charges)
})

test('a one-time price is reduced, and the page takes no code, which would replace the discount', async () => {
  const { emulator, polar, buy, events } = await openShop()
  await emulator.setDiscounts(ACME.paywallId, { [SPRING]: { basis_points: 1000, duration: 'once' } })
  const { page } = await buy({ ...lifetime, discount: SPRING, options: { promotion_codes: true } })
  expect(await polar.checkouts.get(page.pageId)).toMatchObject({
    discount_id: SPRING,
    allow_discount_codes: false,
    discount_amount: 490,
    total_amount: 4410,
  })
  expect((await events()).flatMap(({ payment }) => payment ?? [])).toMatchObject([{ amount: 4410, discount: 490 }])
})

test.each<[string, Discounts[string]]>([
  ['is deleted', null],
  ['has no amount in the currency', { amounts: { eur: 100 }, duration: 'once' }],
  ['applies to another product', { basis_points: 5000, duration: 'once', products: [SPRING] }],
])('a page is refused if the discount %s', async (_, discount) => {
  const { emulator, buy } = await openShop()
  await emulator.setDiscounts(ACME.paywallId, { [SPRING]: discount })
  await expect(buy({ discount: SPRING, processorPrice: MONTHLY })).rejects.toMatchObject({
    kind: 'rejected',
    fields: ['body.discount_id'],
  })
})

const RECURRING = { interval: 'month', intervalCount: 1 } as const
const sold = (
  discount: SoldDiscount['discount'],
  recurring: SoldDiscount['prices'][number]['recurring'] = RECURRING,
) => ({
  discount,
  prices: [{ processorPrice: MONTHLY, recurring }],
  startsAt: new Date('2026-05-01'),
  endsAt: null,
})
const three = { basis_points: 2500, duration: 'repeating', duration_in_months: 3 } as const

test.each<[string, Discounts[string], SoldDiscount, string | null]>([
  ['a percentage', three, sold({ percent: 25, periods: 3 }), null],
  ['another percentage', three, sold({ percent: 20, periods: 3 }), 'takes off 25 %'],
  [
    'other months',
    three,
    sold({ percent: 25, periods: 2 }),
    'lasts for 3 months, which is not 2 periods of each price',
  ],
  [
    'years',
    { ...three, duration_in_months: 36 },
    sold({ percent: 25, periods: 3 }, { interval: 'year', intervalCount: 1 }),
    null,
  ],
  ['once', { ...three, duration: 'once' }, sold({ percent: 25, periods: 'forever' }), 'lasts once'],
  ['an amount', { amounts: { usd: 250 }, duration: 'once' }, sold({ amount: 250, currency: 'USD', periods: 1 }), null],
  [
    'an amount instead',
    { amounts: { usd: 250 }, duration: 'once' },
    sold({ percent: 25, periods: 1 }),
    'takes off an amount',
  ],
  [
    'another currency',
    { amounts: { eur: 250 }, duration: 'once' },
    sold({ amount: 250, currency: 'USD' }, null),
    'takes off another amount, or one in another currency',
  ],
  [
    'another product',
    { ...three, products: [SPRING] },
    sold({ percent: 25, periods: 3 }),
    `does not apply to the product ${MONTHLY}`,
  ],
  ['a limit', { ...three, max_redemptions: 5 }, { ...sold({ percent: 25, periods: 3 }), max: 5 }, null],
  [
    'a lower limit',
    { ...three, max_redemptions: 5 },
    { ...sold({ percent: 25, periods: 3 }), max: 6 },
    'can be redeemed 5 times, and the offer 6 times',
  ],
  [
    'a later start',
    { ...three, starts_at: '2026-05-02T00:00:00Z' },
    sold({ percent: 25, periods: 3 }),
    'starts at 2026-05-02T00:00:00.000Z, which is after the offer',
  ],
  [
    'an earlier end',
    { ...three, ends_at: '2026-06-01T00:00:00Z' },
    { ...sold({ percent: 25, periods: 3 }), endsAt: new Date('2026-06-02') },
    'ends at 2026-06-01T00:00:00.000Z, which is before the offer',
  ],
  [
    'an end, and the offer none',
    { ...three, ends_at: '2026-06-01T00:00:00Z' },
    sold({ percent: 25, periods: 3 }),
    'ends at 2026-06-01T00:00:00.000Z: give the offer an ends_at, or remove that time',
  ],
  [
    'the same times',
    { ...three, starts_at: '2026-05-01T00:00:00Z', ends_at: '2026-06-02T00:00:00Z' },
    { ...sold({ percent: 25, periods: 3 }), endsAt: new Date('2026-06-02') },
    null,
  ],
  ['none', null, sold({ percent: 25, periods: 3 }), 'does not exist'],
])('plan compares what the discount says with the offer: %s', async (_, discount, offered, mismatch) => {
  const { emulator } = await openShop()
  await emulator.setDiscounts(ACME.paywallId, { [SPRING]: discount })
  const check = discountCheck(ACME, { base: emulator.url, isTest: true, fetch, now: () => new Date() })
  expect(await check(SPRING, offered)).toBe(mismatch)
})

test.each([
  ['the offer has as many uses', { max: 1 }, null],
  ['the offer has more uses', { max: 2 }, 'has been redeemed 1 times, which is its maximum'],
  ['the offer has any number', {}, 'has been redeemed 1 times, which is its maximum'],
])('plan accepts a discount that is used up only together with its offer: %s', async (_, limits, mismatch) => {
  const { emulator, buy } = await openShop()
  await emulator.setDiscounts(ACME.paywallId, { [SPRING]: { ...three, max_redemptions: 1 } })
  await buy({ discount: SPRING })
  const check = discountCheck(ACME, { base: emulator.url, isTest: true, fetch, now: () => new Date() })
  expect(await check(SPRING, { ...sold({ percent: 25, periods: 3 }), ...limits })).toBe(mismatch)
})
