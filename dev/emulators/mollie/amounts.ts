import * as z from 'zod'
import { formatMoney } from '../core/pages/layout.ts'

/*
 * Currencies and decimals from docs.mollie.com/docs/multicurrency. Independent of the adapter and of ISO 4217, so that mistakes of
 * the adapter are detected.
 */

const TWO_DECIMALS =
  'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR'.split(' ')
const NO_DECIMALS = ['ISK', 'JPY']

/** Mollie's amounts: strings with exactly the currency's decimals, `9.99` or `1000`. */
export const Amount = z
  .strictObject({
    currency: z.string().refine((code) => [...TWO_DECIMALS, ...NO_DECIMALS].includes(code), {
      abort: true,
      error: ({ input }) => `The currency '${input}' is not supported.`,
    }),
    value: z.string(),
  })
  .refine(({ currency, value }) => isExact(value, currency), {
    path: ['value'],
    error: 'The amount contains an invalid value',
  })

export type Amount = z.output<typeof Amount>

export function minorUnits({ value }: Amount): number {
  return Number(value.replace('.', ''))
}

/** Formats an amount in minor units for people. */
export const money = (minor: number, currency: string) => formatMoney(minor, currency, decimals(currency))

/** Converts an amount in minor units to Mollie's format. */
export function toAmount(minor: number, currency: string): Amount {
  const places = decimals(currency)
  const digits = String(minor).padStart(places + 1, '0')
  if (places === 0) return { currency, value: digits }
  return { currency, value: `${digits.slice(0, -places)}.${digits.slice(-places)}` }
}

const isExact = (value: string, currency: string) =>
  (decimals(currency) === 0 ? /^(0|[1-9]\d{0,9})$/ : /^(0|[1-9]\d{0,9})\.\d\d$/).test(value)

const decimals = (currency: string) => (NO_DECIMALS.includes(currency) ? 0 : 2)
