import { nextPeriodEnd } from '../periods.ts'
import type { PricedLine, SubscriptionRecord, Terms } from './selling-records.ts'

/** The parts of an amount to pay. */
export interface Amounts {
  subtotal: number
  discount: number
  tax: number
  total: number
}

/** Calculates the total of a price: subtracts the discount first, then adds taxes. */
export function amountsOn(terms: Terms, subtotal: number): Amounts {
  const share = Math.round((subtotal * terms.percentOff) / 100)
  const discount = share + Math.min(terms.amountOff ?? 0, Math.max(subtotal - share, 0))
  const tax = Math.round(((subtotal - discount) * terms.taxPercent) / 100)
  return { subtotal, discount, tax, total: subtotal - discount + tax }
}

/** The amounts of an invoice. */
export function computeAmounts(terms: Terms, lines: Pick<PricedLine, 'amount' | 'isDiscounted'>[]): Amounts {
  const subtotal = sumAmounts(lines)
  const { discount } = amountsOn(terms, sumAmounts(lines.filter(({ isDiscounted }) => !isDiscounted)))
  const { tax } = amountsOn(withoutDiscount(terms), subtotal - discount)
  return { subtotal, discount, tax, total: subtotal - discount + tax }
}

/** The terms with which the current price was charged last, whose unused time a change credits. */
export const paidTerms = (subscription: SubscriptionRecord): Terms =>
  subscription.changedTerms ?? currentTerms(subscription, subscription.periodStart === subscription.created)

/** The terms of a subscription's current period: without its discount once that has ended. */
export function currentTerms(subscription: SubscriptionRecord, isFirst = false): Terms {
  const { terms, created, periodStart } = subscription
  const { lasts } = terms
  const discountFrom = discountStart(subscription)
  const isFirstOff = discountFrom === created ? isFirst : periodStart === discountFrom
  const isOff =
    periodStart >= discountFrom &&
    (lasts === undefined ||
      (lasts === 'once'
        ? isFirstOff
        : periodStart < (subscription.discountUntil ?? nextPeriodEnd(discountFrom, lasts, discountFrom))))
  return isOff ? terms : withoutDiscount(terms)
}

/** When the first discounted period begins. */
function discountStart({ terms, created, trialEnd, discountFrom, paidFrom }: SubscriptionRecord): number {
  const afterTrial = terms.lastsAfterTrial ? (paidFrom ?? trialEnd) : null
  return discountFrom ?? afterTrial ?? created
}

/** Whether a discount is taken off the current period, or will be off a coming one. */
export function hasDiscount(subscription: SubscriptionRecord): boolean {
  const { terms, created, periodStart } = subscription
  if (terms.percentOff === 0 && !terms.amountOff) return false
  return periodStart < discountStart(subscription) || currentTerms(subscription, periodStart === created) === terms
}

/** Whether a discount will be taken off a coming period. One for one invoice is gone with it. */
export function hasDiscountLeft(subscription: SubscriptionRecord): boolean {
  const isUsed = subscription.terms.lasts === 'once' && discountStart(subscription) <= subscription.periodStart
  return hasDiscount(subscription) && !isUsed
}

export const withoutDiscount = ({ taxPercent }: Terms): Terms => ({ taxPercent, percentOff: 0 })

export const sumAmounts = (lines: Pick<PricedLine, 'amount'>[]) => lines.reduce((sum, { amount }) => sum + amount, 0)
