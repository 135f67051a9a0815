import type { PricedLine, Terms } from './selling-records.ts'

/** What an amount to pay is made of. */
export interface Amounts {
  subtotal: number
  discount: number
  tax: number
  total: number
}

/** What a price comes to: a discount is taken from it first, taxes are added to what is left. */
export function amountsOn(terms: Terms, subtotal: number): Amounts {
  const discount = Math.round((subtotal * terms.percentOff) / 100)
  const tax = Math.round(((subtotal - discount) * terms.taxPercent) / 100)
  return { subtotal, discount, tax, total: subtotal - discount + tax }
}

export const sumAmounts = (lines: Pick<PricedLine, 'amount'>[]) => lines.reduce((sum, { amount }) => sum + amount, 0)
