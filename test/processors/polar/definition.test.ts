import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listAccounts } from '../../../dev/emulators/polar/accounts.ts'
import { isCurrency } from '../../../lib/money/money.ts'
import { POLAR } from '../../../lib/processors/polar/definition.ts'
import { LIFETIME, MONTHLY } from './emulator/fixture.ts'

test('sells in the currencies of the official SDK, except those whose units are not known', () => {
  const index = new URL('index.d.mts', import.meta.resolve('@polar-sh/sdk/2026-10'))
  const [, models = ''] = /"(\.\.\/models-.+)\.mjs"/.exec(readFileSync(index, 'utf8')) ?? []
  const types = readFileSync(new URL(`${models}.d.mts`, index), 'utf8')
  const [, listed = ''] = /^type PresentmentCurrency = (.*);$/m.exec(types) ?? []
  const codes = listed.split(' | ').map((code) => code.slice(1, -1).toUpperCase())
  expect(codes.length).toBeGreaterThan(100)
  const excluded = ['ISK', 'UGX', 'MGA']
  expect([...POLAR.currencies].toSorted()).toEqual(
    codes.filter((code) => isCurrency(code) && !excluded.includes(code)).toSorted(),
  )
})

const offered = (...variants: [local: number | null, processorPrice: string, currency: string, amount: number][]) => ({
  interval: 'month' as const,
  intervalCount: 1,
  trialDays: 0,
  variants: variants.map(([local, processorPrice, currency, amount]) => ({ local, processorPrice, currency, amount })),
})

test('accepts one product for several currencies, and rejects two prices of a product in one currency', () => {
  expect(POLAR.priceProblems(offered([null, MONTHLY, 'USD', 999], [0, MONTHLY, 'INR', 39900]))).toEqual([])
  const two = offered([null, MONTHLY, 'USD', 999], [0, MONTHLY, 'USD', 499], [1, LIFETIME, 'USD', 499])
  expect(POLAR.priceProblems(two)).toEqual([
    { local: 0, field: 'amount', message: 'a product has only one price in USD at Polar' },
  ])
  expect(POLAR.priceProblems(offered([null, 'price_1', 'USD', 1]))).toMatchObject([{ field: 'processorPrice' }])
})

test('the emulator has what the paywall file sells', () => {
  const price = { label: 'Monthly', interval: 'month', interval_count: 1, processor_price: MONTHLY }
  const locals = [{ processor_price: MONTHLY, currency: 'INR', amount: 39900 }]
  const credentials = { accessToken: 'polar_oat_1', webhookSecret: 'whsec_1' }
  const paywall = {
    id: '1001',
    name: 'Acme',
    processor: { acquiring: 'polar', credentials },
    prices: [{ ...price, currency: 'USD', amount: 999, locals }],
    discounts: [],
  }
  const other = { ...paywall, processor: { acquiring: 'stripe', credentials: {} } }
  expect(listAccounts([Object({ paywalls: [paywall, other] })])).toEqual([
    {
      paywallId: '1001',
      paywallName: 'Acme',
      ...credentials,
      prices: [
        { id: MONTHLY, label: 'Monthly', currency: 'usd', amount: 999, interval: 'month', intervalCount: 1 },
        { id: MONTHLY, label: 'Monthly', currency: 'inr', amount: 39900, interval: 'month', intervalCount: 1 },
      ],
    },
  ])
})
