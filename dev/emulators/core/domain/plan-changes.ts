import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import { type Cycle, nextPeriodEnd } from '../periods.ts'
import { amountsOn, computeAmounts, currentTerms } from './amounts.ts'
import { type AccountContext, all, find } from './context.ts'
import { collectInvoice, latestInvoice, newInvoice } from './invoices.ts'
import type { InvoiceRecord } from './money-records.ts'
import { type PricedLine, SoldPrice, type SubscriptionRecord, type Terms } from './selling-records.ts'
import { change, refuseEnded } from './subscriptions.ts'

/*
 * Changes of a subscription's price or quantity: immediately, prorated for the rest of the period, or at the end of its period. While the
 * customer's charges fail, changes that cost something are refused.
 */

/** Prices that exist at the processor but in no paywall file. */
export const OTHER_PRICES = accountSetting('prices', z.array(SoldPrice), [])

/** The prices that a subscription can change to: all other recurring ones in its currency. */
export function otherPrices(context: AccountContext, { price }: SubscriptionRecord): SoldPrice[] {
  const named = context.account.paywalls.flatMap(({ prices = [] }) => prices)
  const others = [...named, ...OTHER_PRICES.read(context)].filter(
    (each) => each.interval !== null && each.currency === price.currency && !isSame(each, price),
  )
  return others.filter((each, index) => others.findIndex((one) => isSame(one, each)) === index)
}

/** Among prices with the same id it prefers the one with the current interval. Without an id, any other price. */
export function priceToChangeTo(context: AccountContext, subscription: SubscriptionRecord, id?: string): SoldPrice {
  const others = otherPrices(context, subscription).filter((each) => id === undefined || each.id === id)
  const found = others.find((each) => isSamePeriodLength(each, subscription.price)) ?? others[0]
  if (!found) throw context.refuse(`There is no other price for ${subscription.id}.`)
  return SoldPrice.parse(found)
}

const isSame = (one: SoldPrice, other: SoldPrice) => one.id === other.id && isSamePeriodLength(one, other)

export const isSamePeriodLength = (one: Cycle, other: Cycle) =>
  one.interval === other.interval && (one.intervalCount ?? 1) === (other.intervalCount ?? 1)

interface Proration {
  /** The credit for the rest of the old price's period; negative. */
  credit: PricedLine
  /** The new price for the rest of the period or a new one. */
  charge: PricedLine
  period: Pick<SubscriptionRecord, 'periodStart' | 'periodEnd' | 'anchor'>
}

/** A quantity of a price. */
export type Plan = Pick<SubscriptionRecord, 'price' | 'quantity'>

interface Prorated {
  now: number
  anew?: boolean
  usedUntil?: number
  quantity?: number
  discounts?: ProratedDiscounts
}

/**
 * The discounts of a change: that of the old price's credit, and that of the new price's charge. Null: the discount of the invoice is taken
 * off the charge.
 */
export interface ProratedDiscounts {
  credit: Terms
  charge: Terms | null
}

/**
 * Prorates a change. A new period begins if its length differs, or with `anew`. `usedUntil`: the time up to which the current period counts
 * as used. `quantity`: the new one, by default the current one. `discounts`: by default none are in the amounts.
 */
export function prorate(
  { price: old, quantity: oldQuantity, periodStart, periodEnd, anchor }: SubscriptionRecord,
  price: SoldPrice,
  { now, anew = false, usedUntil = now, quantity = oldQuantity, discounts }: Prorated,
): Proration {
  const left = Math.max(0, periodEnd - usedUntil) / Math.max(1, periodEnd - periodStart)
  const isNew = anew || !isSamePeriodLength(old, price)
  const end = isNew ? nextPeriodEnd(now, price, now) : periodEnd
  const line = (of: Plan, share: number, [from, to]: [number, number], terms: Terms | null = null): PricedLine => {
    const whole = of.price.amount * of.quantity
    const paid = terms === null ? whole : whole - amountsOn(terms, whole).discount
    const amount = Math.sign(share) * Math.round(paid * Math.abs(share))
    const lasts = { periodStart: from, periodEnd: to }
    return { ...of, amount, ...lasts, isProration: true, ...(terms !== null && { isDiscounted: true }) }
  }
  const [share, from] = isNew ? [1, now] : [left, usedUntil]
  return {
    credit: line({ price: old, quantity: oldQuantity }, -left, [usedUntil, periodEnd], discounts?.credit),
    charge: line({ price, quantity }, share, [from, end], discounts?.charge),
    period: isNew ? { periodStart: now, periodEnd: end, anchor: now } : { periodStart, periodEnd, anchor },
  }
}

/**
 * When a change is invoiced: now or with the next period. `less the credit`: the credit goes to the customer's balance instead of
 * the invoice.
 */
type Billing = 'now' | 'now, less the credit' | 'with the next period' | 'with the next period, less the credit'

/** Changes the price, or the quantity, now. A trial continues, free of charge. */
export function changePrice(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  bills: Billing,
  { quantity = subscription.quantity, discounts }: Pick<Prorated, 'quantity' | 'discounts'> = {},
): SubscriptionRecord {
  refuseUnchangeable(context, subscription)
  const { credit, charge, period } = prorate(subscription, price, {
    now: context.now,
    quantity,
    ...(discounts && { discounts }),
  })
  const isTrial = subscription.status === 'trialing'
  const isNow = bills.startsWith('now')
  const lines = bills.endsWith('less the credit') ? [charge] : [credit, charge]
  if (isNow && !isTrial) refuseDeclined(context, subscription, [credit, charge])
  return change(context, subscription, () => {
    Object.assign(subscription, { price, quantity, scheduled: null, ...(!isTrial && period) })
    if (isTrial) return
    subscription.changedTerms = discounts?.charge ?? currentTerms(subscription)
    if (!lines.includes(credit)) creditCustomer(context, subscription, credit)
    if (isNow) payChange(context, subscription, lines)
    else subscription.pendingLines.push(...lines)
  })
}

/** Schedules a change of price or quantity for the end of the period; null: cancels it. */
export function scheduleChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice | null,
  own: Record<string, unknown> = {},
  quantity = subscription.quantity,
): SubscriptionRecord {
  refuseEnded(context, subscription)
  if (price !== null) refuseUnchangeable(context, subscription)
  return change(context, subscription, () => {
    subscription.scheduled = price && { price, quantity }
    subscription.own = { ...subscription.own, ...z.record(z.string(), z.json()).parse(own) }
  })
}

export function refuseUnchangeable(context: AccountContext, subscription: SubscriptionRecord): void {
  refuseEnded(context, subscription)
  const { id, status } = subscription
  if (status !== 'active' && status !== 'trialing') throw context.refuse(`Subscription ${id} is ${status}.`)
}

/** Refuses a change that costs something if the charge would fail. */
export function refuseDeclined(context: AccountContext, subscription: SubscriptionRecord, lines: PricedLine[]): void {
  if (isDeclined(context, subscription, lines)) throw context.refuse('Your card was declined.')
}

/** Whether lines cost more than the customer's balance, and the charge would fail. */
export const isDeclined = (context: AccountContext, subscription: SubscriptionRecord, lines: PricedLine[]): boolean =>
  find(context, 'customers', subscription.customer).declines && isCharged(context, subscription, lines)

/** Whether lines cost more than the customer's balance. */
export const isCharged = (context: AccountContext, subscription: SubscriptionRecord, lines: PricedLine[]): boolean =>
  computeAmounts(currentTerms(subscription), lines).total > find(context, 'customers', subscription.customer).balance

/** Adds the credit to the customer's balance, from which later invoices are paid. */
export function creditCustomer(context: AccountContext, subscription: SubscriptionRecord, credit: PricedLine): void {
  find(context, 'customers', subscription.customer).balance -= computeAmounts(currentTerms(subscription), [
    credit,
  ]).total
}

/** Removes the pending invoice line with this id; null if there is none. */
export function removePendingLine(
  context: AccountContext,
  toId: (subscription: SubscriptionRecord, line: PricedLine) => string,
  id: string,
): { subscription: SubscriptionRecord; line: PricedLine } | null {
  for (const subscription of all(context, 'subscriptions')) {
    const index = subscription.pendingLines.findIndex((line) => toId(subscription, line) === id)
    const [line] = index < 0 ? [] : subscription.pendingLines.splice(index, 1)
    if (line) return { subscription, line }
  }
  return null
}

/** Creates the invoice of a change, including earlier pending lines, and charges it. */
export function payChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  lines: PricedLine[],
  succeeds = true,
): InvoiceRecord {
  const invoice = invoiceChange(context, subscription, lines)
  collectInvoice(context, invoice, succeeds)
  return invoice
}

/** Creates the invoice of a change, including earlier pending lines. */
export function invoiceChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  lines: PricedLine[],
): InvoiceRecord {
  const { seller, email } = latestInvoice(context, subscription)
  const billed = [...subscription.pendingLines, ...lines]
  subscription.pendingLines = []
  const invoice = newInvoice(context, subscription, { seller, email, reason: 'update', status: 'open', lines: billed })
  context.emit({ what: 'invoice.created', invoice })
  return invoice
}
