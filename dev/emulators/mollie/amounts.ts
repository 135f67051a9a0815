import * as z from 'zod'
import { formatMoney } from '../core/pages/layout.ts'

/*
 * What docs.mollie.com/docs/multicurrency says of currencies and their decimals. It is written down once more here, and
 * neither taken from the adapter nor from ISO 4217, so that an adapter that writes amounts differently is found out.
 */

const TWO_DECIMALS =
  'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR'.split(' ')
const NO_DECIMALS = ['ISK', 'JPY']

/** Money as Mollie writes it: text with exactly as many decimals as the currency has, `9.99` or `1000`. */
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

/** An amount in minor units as a person reads it. */
export const money = (minor: number, currency: string) => formatMoney(minor, currency, decimals(currency))

/** An amount in minor units as Mollie writes it. */
export function toAmount(minor: number, currency: string): Amount {
  const places = decimals(currency)
  const digits = String(minor).padStart(places + 1, '0')
  if (places === 0) return { currency, value: digits }
  return { currency, value: `${digits.slice(0, -places)}.${digits.slice(-places)}` }
}

const isExact = (value: string, currency: string) =>
  (decimals(currency) === 0 ? /^(0|[1-9]\d{0,9})$/ : /^(0|[1-9]\d{0,9})\.\d\d$/).test(value)

const decimals = (currency: string) => (NO_DECIMALS.includes(currency) ? 0 : 2)
