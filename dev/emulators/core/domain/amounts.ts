import type { PricedLine, Terms } from './selling-records.ts'

/** The parts of an amount to pay. */
export interface Amounts {
  subtotal: number
  discount: number
  tax: number
  total: number
}

/** Calculates the total of a price: subtracts the discount first, then adds taxes. */
export function amountsOn(terms: Terms, subtotal: number): Amounts {
  const discount = Math.round((subtotal * terms.percentOff) / 100)
  const tax = Math.round(((subtotal - discount) * terms.taxPercent) / 100)
  return { subtotal, discount, tax, total: subtotal - discount + tax }
}

export const sumAmounts = (lines: Pick<PricedLine, 'amount'>[]) => lines.reduce((sum, { amount }) => sum + amount, 0)
