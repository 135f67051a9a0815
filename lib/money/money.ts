/** Decimal places of an ISO 4217 currency: 2 for USD, 0 for JPY, 3 for KWD. */
function decimals(currency: string): number {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return maximumFractionDigits ?? 2
}

/**
 * Decimal major units (9.99) to integer minor units (999).
 * Throws a RangeError when the amount has more decimals than the currency, or does not fit an exact integer.
 */
export function toMinorUnits(amount: number, currency: string): number {
  const minor = shift(amount, decimals(currency))
  const rounded = Math.round(minor)
  if (!Number.isSafeInteger(rounded) || shift(rounded, -decimals(currency)) !== amount) {
    throw new RangeError(`${amount} is not an amount of ${currency}`)
  }
  return rounded
}

/** Integer minor units (999) to decimal major units (9.99). */
export function toMajorUnits(minor: number, currency: string): number {
  return shift(minor, -decimals(currency))
}

/** Integer minor units (999) as a decimal text with all of the currency's decimals: 9.99, of JPY 999. */
export function toDecimalText(minor: number, currency: string): string {
  const places = decimals(currency)
  if (places === 0) return String(minor)
  const digits = String(minor).padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Moves the decimal point in the decimal text: multiplying a binary float would turn 1.005 × 1000 into 1004.9999. */
function shift(amount: number, places: number): number {
  const [digits, exponent = '0'] = String(amount).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}
