// Amounts are integers in the minor units of ISO 4217, for all processors and runtimes. `Intl` is not used: its decimals are those of
// everyday notation (a forint without decimals), and differ between Node and workerd.
import { DECIMALS } from '../../generated/currencies.ts'

export const isCurrency = (code: string): boolean => Object.hasOwn(DECIMALS, code)

/** Decimal places of an ISO 4217 currency: 2 for USD, 0 for JPY, 3 for KWD. Throws a RangeError for any other code. */
export function currencyDecimals(currency: string): number {
  const decimals = DECIMALS[currency]
  if (decimals === undefined) throw new RangeError(`${currency} is not a currency of ISO 4217`)
  return decimals
}

/**
 * Decimal major units (9.99) to integer minor units (999).
 * Throws a RangeError when the amount has more decimals than the currency, or does not fit an exact integer.
 */
export function toMinorUnits(amount: number, currency: string): number {
  const minor = shift(amount, currencyDecimals(currency))
  const rounded = Math.round(minor)
  if (!Number.isSafeInteger(rounded) || shift(rounded, -currencyDecimals(currency)) !== amount) {
    throw new RangeError(`${amount} is not an amount of ${currency}`)
  }
  return rounded
}

/** Integer minor units (999) to decimal major units (9.99). */
export function toMajorUnits(minor: number, currency: string): number {
  return shift(minor, -currencyDecimals(currency))
}

/** Integer minor units (999) as decimal text with all of the currency's decimals: 9.99, or 999 for JPY. */
export function toDecimalText(minor: number | bigint, currency: string): string {
  const places = currencyDecimals(currency)
  if (places === 0) return String(minor)
  const digits = String(minor)
    .replace('-', '')
    .padStart(places + 1, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Moves the decimal point in the decimal text: multiplying a binary float would turn 1.005 × 1000 into 1004.9999. */
export function shift(amount: number, places: number): number {
  const [digits, exponent = '0'] = String(amount).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}
