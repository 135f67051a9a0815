import { expect, test } from 'vitest'
import type { OfferedPrice } from '../../../lib/processors/definition.ts'
import { FREEMIUS } from '../../../lib/processors/freemius/definition.ts'
import { CREDENTIALS } from './fixture.ts'

const price = (
  more: Partial<OfferedPrice>,
  ...variants: Partial<OfferedPrice['variants'][number]>[]
): OfferedPrice => ({
  interval: 'month',
  intervalCount: 1,
  trialDays: 0,
  variants: [{}, ...variants].map((variant, index) => ({
    local: index === 0 ? null : index - 1,
    processorPrice: `501:60${index}`,
    currency: 'USD',
    amount: 999,
    ...variant,
  })),
  ...more,
})

const problems = (offered: OfferedPrice) => FREEMIUS.priceProblems(offered).map(({ local, field }) => [local, field])

test.each<[string, OfferedPrice]>([
  ['monthly', price({})],
  ['yearly', price({ interval: 'year' })],
  ['once', price({ interval: null, intervalCount: 1 })],
  ['with a trial', price({ trialDays: 14 })],
  ['in two currencies', price({}, { currency: 'EUR' })],
])('a price can be sold %s', (_, offered) => {
  expect(FREEMIUS.priceProblems(offered)).toEqual([])
})

test.each<[string, OfferedPrice, unknown[]]>([
  ['daily', price({ interval: 'day' }), [[null, 'interval']]],
  ['weekly', price({ interval: 'week' }), [[null, 'interval']]],
  ['quarterly', price({ intervalCount: 3 }), [[null, 'interval_count']]],
  ['for free', price({}, { amount: 0 }), [[0, 'amount']]],
  ['with an id of another format', price({}, { processorPrice: 'price_1' }), [[0, 'processorPrice']]],
  [
    'in two currencies as one pricing',
    price({}, { processorPrice: '501:600', currency: 'EUR' }),
    [[0, 'processorPrice']],
  ],
])('a price cannot be sold %s', (_, offered, expected) => {
  expect(problems(offered)).toEqual(expected)
})

test('lists the credentials, two of which are secret', () => {
  expect(Object.keys(FREEMIUS.credentials).toSorted()).toEqual(Object.keys(CREDENTIALS).toSorted())
  const secret = Object.entries(FREEMIUS.credentials).flatMap(([name, credential]) => (credential.secret ? [name] : []))
  expect(secret).toEqual(['secretKey', 'apiKey'])
  expect(FREEMIUS.credentials.productId.pattern?.test('7001')).toBe(true)
  expect(FREEMIUS.credentials.productId.pattern?.test('7001/../x')).toBe(false)
  expect(FREEMIUS.detectMode(CREDENTIALS)).toBeNull()
})

test('prices of one plan cannot have different trials', () => {
  const planPrice = (processorPrice: string, trialDays: number) =>
    price({ trialDays, variants: [{ local: null, processorPrice, currency: 'USD', amount: 999 }] })
  const findProblems = (...prices: OfferedPrice[]) =>
    FREEMIUS.catalogueProblems?.(prices).map((problems) => problems.map(({ field }) => field))
  expect(
    findProblems(planPrice('501:601', 7), planPrice('501:602', 0), planPrice('501:603', 7), planPrice('502:604', 14)),
  ).toEqual([[], [], [], []])
  expect(findProblems(planPrice('501:601', 7), planPrice('501:602', 14))).toEqual([[], ['trial_days']])
})
