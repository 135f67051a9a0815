import * as z from 'zod'

/** Money as Mollie writes it: text with exactly as many decimals as the currency has, `9.99` or `1000`. */
export const Amount = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/, { abort: true, error: 'must be three capitals' }),
    value: z.string(),
  })
  .refine(({ currency, value }) => isExact(value, currency), 'The amount contains an invalid value')

export type Amount = z.output<typeof Amount>

export function minorUnits({ value }: Amount): number {
  return Number(value.replace('.', ''))
}

/** An amount in minor units as Mollie writes it. */
export function amountOf(minor: number, currency: string): Amount {
  const places = decimals(currency)
  const digits = String(minor).padStart(places + 1, '0')
  if (places === 0) return { currency, value: digits }
  return { currency, value: `${digits.slice(0, -places)}.${digits.slice(-places)}` }
}

function isExact(value: string, currency: string): boolean {
  const places = decimals(currency)
  const shape = places === 0 ? /^(0|[1-9]\d{0,9})$/ : new RegExp(`^(0|[1-9]\\d{0,9})\\.\\d{${places}}$`)
  return shape.test(value)
}

function decimals(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}
