// Converts amounts exactly. They are summed up with decimals of a minor unit, and rounded once, at the end.
import { currencyDecimals } from '../money/money.ts'
import type { ExchangeRate } from './figures.ts'

/** The decimals of a minor unit that sums are kept with, which are also the most that an exchange rate has. */
const DECIMALS = 12

/** An amount in minor units times 10^12. */
export type ExactAmount = bigint

/** An amount of one currency in another one; null if there is no exchange rate on that day. `day` is null before the first rate. */
export type Exchange = (amount: bigint, currency: string, day: string | null) => ExactAmount | null

/** Leaves amounts in their currency. */
export const unchanged: Exchange = (amount) => shift(amount, DECIMALS)

export function exchangeInto(target: string, rates: ExchangeRate[]): Exchange {
  const byCurrency = Map.groupBy(rates, ({ currency }) => currency)
  return (amount, currency, day) => {
    if (currency === target) return unchanged(amount, currency, day)
    const rate = day && byCurrency.get(currency)?.findLast(({ from }) => from <= day)
    if (!rate) return null
    const [units = '', decimals = ''] = rate.rate.split('.')
    const exact = amount * BigInt(units + decimals)
    return shift(exact, DECIMALS - decimals.length + currencyDecimals(target) - currencyDecimals(currency))
  }
}

/** Rounds to a minor unit, half away from zero. */
export function roundAmount(amount: ExactAmount): bigint {
  const half = shift(5n, DECIMALS - 1)
  return (amount + (amount < 0n ? -half : half)) / shift(1n, DECIMALS)
}

function shift(amount: bigint, places: number): bigint {
  return places < 0 ? amount / 10n ** BigInt(-places) : amount * 10n ** BigInt(places)
}
