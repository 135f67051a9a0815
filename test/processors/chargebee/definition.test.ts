import { expect, test } from 'vitest'
import { decimalsAtChargebee } from '../../../dev/emulators/chargebee/currencies.ts'
import { currencyDecimals, isCurrency } from '../../../lib/money/money.ts'
import { CHARGEBEE } from '../../../lib/processors/chargebee/definition.ts'
import type { OfferedPrice } from '../../../lib/processors/definition.ts'
import { startAdapter } from './selling.ts'

test("every credential has a pattern that accepts Chargebee's format", () => {
  const good = { site: 'acme-test', apiKey: 'test_YkiZ', webhookUser: 'paywall', webhookPassword: 'a b:c' }
  for (const [name, { pattern }] of Object.entries(CHARGEBEE.credentials)) {
    expect(pattern?.test(Reflect.get(good, name)) ?? true).toBe(true)
  }
  const { site, webhookUser } = CHARGEBEE.credentials
  for (const wrong of ['Acme', 'acme.chargebee.com', '-acme', '', 'a/b']) expect(site.pattern?.test(wrong)).toBe(false)
  for (const wrong of ['a:b', '', ' a', 'é']) expect(webhookUser.pattern?.test(wrong)).toBe(false)
})

test('credentials show whether they are for test or live mode', () => {
  const detectMode = (apiKey: string, site: string) =>
    CHARGEBEE.detectMode({ apiKey, site, webhookUser: 'u', webhookPassword: 'p' })
  expect([
    detectMode('test_x', 'acme'),
    detectMode('live_x', 'acme'),
    detectMode('x', 'acme-test'),
    detectMode('x', 'acme'),
  ]).toEqual(['test', 'live', 'test', null])
})

test('every currency is in ISO 4217, with the decimals that the emulator uses', () => {
  for (const currency of CHARGEBEE.currencies) {
    expect(isCurrency(currency), currency).toBe(true)
    expect(decimalsAtChargebee(currency), currency).toBe(CHARGEBEE.decimals[currency] ?? currencyDecimals(currency))
  }
})

test('an item price has one currency and amount, and an id of at most a hundred characters', () => {
  const problems = (...variants: [string, string, number][]) => {
    const price: OfferedPrice = {
      interval: 'month',
      intervalCount: 1,
      trialDays: 0,
      variants: variants.map(([processorPrice, currency, amount], index) => ({
        local: index === 0 ? null : index - 1,
        processorPrice,
        currency,
        amount,
      })),
    }
    return CHARGEBEE.priceProblems(price).map(({ local, field }) => [local, field])
  }
  expect(problems(['a', 'USD', 999], ['b', 'INR', 39900], ['a', 'USD', 999])).toEqual([])
  expect(problems(['a', 'USD', 999], ['a', 'INR', 39900])).toEqual([[0, 'processorPrice']])
  expect(problems(['x'.repeat(101), 'USD', 999])).toEqual([[null, 'processorPrice']])
})

test('the adapter lacks the methods that its capabilities exclude', async () => {
  const { adapter } = await startAdapter()
  expect(CHARGEBEE.capabilities).toMatchObject({ portal: true, expiresPages: false })
  expect(adapter.openPortal).toBeDefined()
  expect(adapter.closeCheckout).toBeUndefined()
})
