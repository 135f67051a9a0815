// Processors whose discounts last once, for ever, or for a number of calendar months: which offers they can follow.
import type { Discount } from './discount.ts'
import type { CheckoutOrder, Interval, SoldDiscount } from './processor.ts'

const MONTHS: Partial<Record<Interval, number>> = { month: 1, year: 12 }

/** Why such a discount cannot last as long as the offer, in words that follow the processor's name; null if it can. */
export function monthsProblem({ periods }: Discount, { interval }: { interval: Interval }): string | null {
  const isCounted = typeof periods === 'number' && periods > 1
  return isCounted && MONTHS[interval] === undefined ? 'counts several periods in months, not in days or weeks' : null
}

/** Why a processor's discount does not last as long as the offer, in words that follow its name; null if it does. */
export function durationMismatch(
  { duration, duration_in_months: months }: { duration: string; duration_in_months?: number | null | undefined },
  { discount: { periods }, prices }: SoldDiscount,
): string | null {
  if (periods === undefined) return null // a one-time price is paid once
  const lasts = duration === 'repeating' ? `for ${months} months` : duration
  if (periods === 'forever' || periods === 1) {
    return duration === (periods === 1 ? 'once' : 'forever') ? null : `lasts ${lasts}`
  }
  const isExact = prices.every(
    ({ recurring }) => duration === 'repeating' && months === countMonths(periods, recurring),
  )
  return isExact ? null : `lasts ${lasts}, which is not ${periods} periods of each price`
}

function countMonths(periods: number, recurring: CheckoutOrder['recurring']): number | null {
  const unit = recurring && MONTHS[recurring.interval]
  return unit ? periods * unit * recurring.intervalCount : null
}
