import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paywall } from '../support/paywall.ts'
import { monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import { tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

// `plan` and `apply` ask the processor whether its discounts match the offers of the file.

const folder = mkdtempSync(join(tmpdir(), 'paywall-discounts-'))
const path = join(folder, 'paywall.json')
const world = useTestWorld()
afterAll(() => rmSync(folder, { recursive: true }))

const YEARLY = yearly({ trial_days: undefined })
const LIFETIME = { slug: 'lifetime', label: 'For ever', currency: 'USD', amount: 49, processorPrice: 'price_lifetime' }
const PRICES = [monthly({ locals: [] }), YEARLY, LIFETIME]
const offer = (id: string, discount: object, prices = ['monthly']) => ({
  id,
  title: id,
  discount,
  prices,
  processorDiscount: id.toUpperCase(),
})
const OFFERS = [
  offer('once', { percent: 50, periods: 1 }, ['monthly', 'yearly']),
  offer('repeating', { percent: 25, periods: 3 }),
  offer('forever', { percent: 10, periods: 'forever' }),
  offer('amount', { amount: 5, currency: 'USD' }, ['lifetime']),
]

let id = ''
let writeOffers: (offers: object[]) => void
let what = (offerId: string) => offerId

beforeAll(async () => {
  const file = await paywallFile({ paywall: { prices: PRICES, offers: OFFERS } })
  await world.apply(file)
  const { paywall: applied } = tenant(file)
  id = applied.id
  what = (offerId) => `paywall ${id}: offer ${offerId}: Stripe's coupon id ${offerId.toUpperCase()}`
  const { owner, keys } = file
  writeOffers = (offers) => {
    const { name, settings, processor } = applied
    const paywalls = [{ id, name, test: true, settings, processor, prices: PRICES, offers }]
    writeFileSync(path, JSON.stringify({ owner, keys: keys.map(({ name, secret }) => ({ name, secret })), paywalls }))
  }
  writeOffers(OFFERS)
})

const run = (command: string, variables: Record<string, string> = {}) =>
  paywall(world, [command, path], { PROCESSOR_API_BASES: JSON.stringify({ stripe: world.stripe.url }), ...variables })

test('a file whose coupons are what it says is accepted', async () => {
  for (const command of ['plan', 'apply']) {
    expect(await run(command)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to change') })
  }
})

const half = { percent_off: 50, duration: 'once' } as const
test.each([
  ['once', null, 'does not exist'],
  ['once', { ...half, valid: false }, 'is no longer valid'],
  ['once', { ...half, percent_off: 40 }, 'takes off 40 %'],
  ['once', { ...half, percent_off: null, amount_off: 500, currency: 'usd' }, 'takes off an amount'],
  ['once', { ...half, duration: 'forever' }, 'lasts forever'],
  ['once', { ...half, products: ['prod_other'] }, 'does not apply to the product of price_monthly'],
  [
    'repeating',
    { percent_off: 25, duration: 'repeating', duration_in_months: 4 },
    'lasts for 4 months, which is not 3 periods of each price',
  ],
  ['repeating', { percent_off: 25, duration: 'once' }, 'lasts once, which is not 3 periods of each price'],
  ['forever', { percent_off: 10, duration: 'once' }, 'lasts once'],
  [
    'amount',
    { amount_off: 400, currency: 'usd', duration: 'once' },
    'takes off another amount, or one in another currency',
  ],
  [
    'amount',
    { amount_off: 500, currency: 'eur', duration: 'once' },
    'takes off another amount, or one in another currency',
  ],
  ['amount', { percent_off: 5, duration: 'once' }, 'takes off another amount, or one in another currency'],
] as const)('%s: %j is refused', async (offerId, coupon, mismatch) => {
  const coupons = { [offerId.toUpperCase()]: coupon && { ...coupon } }
  await world.stripe.setCoupons(id, coupons as Parameters<typeof world.stripe.setCoupons>[1])
  const { code, err } = await run('plan')
  expect(code).toBe(1)
  expect(err).toContain(`${what(offerId)} ${mismatch}\n`)
  await world.stripe.setCoupons(id, {})
})

test('the coupon of an offer that has ended is not checked, so that neither need be removed', async () => {
  await world.stripe.setCoupons(id, { ONCE: null, FOREVER: { percent_off: 10, duration: 'forever', valid: false } })
  const [first, ...others] = OFFERS
  writeOffers([{ ...first, ends_at: '2020-01-01T00:00:00Z' }, ...others])
  const { code, err } = await run('plan')
  expect(code).toBe(1)
  expect(err).not.toContain(what('once'))
  expect(err).toContain(`${what('forever')} is no longer valid\n`)
  await world.stripe.setCoupons(id, {})
  writeOffers(OFFERS)
})

test('a coupon that cannot be read is a warning', async () => {
  const { code, out } = await run('plan', { PROCESSOR_API_BASES: '{"stripe":"http://127.0.0.1:9"}' })
  expect(code).toBe(0)
  expect(out).toContain(`${what('once')} could not be checked`)
})
