import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import { type Cycle, nextPeriodEnd } from '../periods.ts'
import { amountsOn, sumAmounts } from './amounts.ts'
import { type AccountContext, all, find } from './context.ts'
import { declines } from './customers.ts'
import { collectInvoice, latestInvoice, newInvoice } from './invoices.ts'
import { type PricedLine, SoldPrice, type SubscriptionRecord } from './selling-records.ts'
import { change, refuseEnded } from './subscriptions.ts'

/*
 * A subscription gets another price: now, with the money for what is left of the period, or at the end of its period. While
 * its customer's charges fail, no change is made that costs something.
 */

/** Prices that an owner has besides those of the paywall files: no paywall names them. */
export const OTHER_PRICES = accountSetting('prices', z.array(SoldPrice), [])

/** What a subscription can be changed to: all that recurs in its currency, but what it has. */
export function otherPrices(context: AccountContext, { price }: SubscriptionRecord): SoldPrice[] {
  const named = context.account.paywalls.flatMap(({ prices = [] }) => prices)
  const others = [...named, ...OTHER_PRICES.of(context)].filter(
    (each) => each.interval !== null && each.currency === price.currency && !isSame(each, price),
  )
  return others.filter((each, index) => others.findIndex((one) => isSame(one, each)) === index)
}

/** Of prices with the same id, the one with the same interval is meant; without an id, the one after the present price. */
export function priceToChangeTo(context: AccountContext, subscription: SubscriptionRecord, id?: string): SoldPrice {
  const others = otherPrices(context, subscription).filter((each) => id === undefined || each.id === id)
  const found = others.find((each) => isAsLong(each, subscription.price)) ?? others[0]
  if (!found) throw context.refuse(`There is no other price for ${subscription.id}.`)
  return SoldPrice.parse(found)
}

const isSame = (one: SoldPrice, other: SoldPrice) => one.id === other.id && isAsLong(one, other)

export const isAsLong = (one: Cycle, other: Cycle) =>
  one.interval === other.interval && (one.intervalCount ?? 1) === (other.intervalCount ?? 1)

interface Proration {
  /** What is left of the old price's period, below zero. */
  credit: PricedLine
  /** The new price, for as long as its period lasts. */
  charge: PricedLine
  period: Pick<SubscriptionRecord, 'periodStart' | 'periodEnd' | 'anchor'>
}

/** The money of a change. A new period begins if the new one has another length, or if that is asked for. */
export function prorate(
  { price: old, quantity, periodStart, periodEnd, anchor }: SubscriptionRecord,
  price: SoldPrice,
  { now, anew = false }: { now: number; anew?: boolean },
): Proration {
  const left = Math.max(0, periodEnd - now) / Math.max(1, periodEnd - periodStart)
  const isNew = anew || !isAsLong(old, price)
  const end = isNew ? nextPeriodEnd(now, price, now) : periodEnd
  const line = (of: SoldPrice, share: number, to: number): PricedLine => ({
    ...{ price: of, quantity, amount: Math.sign(share) * Math.round(of.amount * quantity * Math.abs(share)) },
    ...{ periodStart: now, periodEnd: to, isProration: true },
  })
  return {
    credit: line(old, -left, periodEnd),
    charge: line(price, isNew ? 1 : left, end),
    period: isNew ? { periodStart: now, periodEnd: end, anchor: now } : { periodStart, periodEnd, anchor },
  }
}

/**
 * How a change is paid: by an invoice of its own, which has both parts or takes the credit from the customer's balance; or with
 * the next period.
 */
type Billing = 'now' | 'now, less the credit' | 'with the next period' | 'with the next period, less the credit'

/** Changes the price now. A trial goes on, and costs nothing. */
export function changePrice(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  bills: Billing,
): SubscriptionRecord {
  refuseUnchangeable(context, subscription)
  const { credit, charge, period } = prorate(subscription, price, context)
  const isTrial = subscription.status === 'trialing'
  const isNow = bills.startsWith('now')
  const lines = bills.endsWith('less the credit') ? [charge] : [credit, charge]
  if (isNow && !isTrial) refuseDeclined(context, subscription, [credit, charge])
  return change(context, subscription, () => {
    Object.assign(subscription, { price, scheduled: null, ...(!isTrial && period) })
    if (isTrial) return
    if (!lines.includes(credit)) creditCustomer(context, subscription, credit)
    if (isNow) payChange(context, subscription, lines)
    else subscription.pendingLines.push(...lines)
  })
}

/** The price changes when the period ends; null: it does not any more. */
export function scheduleChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice | null,
  own: Record<string, unknown> = {},
): SubscriptionRecord {
  refuseEnded(context, subscription)
  if (price !== null) refuseUnchangeable(context, subscription)
  return change(context, subscription, () => {
    subscription.scheduled = price && { price }
    subscription.own = { ...subscription.own, ...z.record(z.string(), z.json()).parse(own) }
  })
}

export function refuseUnchangeable(context: AccountContext, subscription: SubscriptionRecord): void {
  refuseEnded(context, subscription)
  const { id, status } = subscription
  if (status !== 'active' && status !== 'trialing') throw context.refuse(`Subscription ${id} is ${status}.`)
}

/** A change that costs something is not made if the charge fails. */
export function refuseDeclined(
  context: AccountContext,
  { customer, terms }: SubscriptionRecord,
  lines: PricedLine[],
): void {
  const { total } = amountsOn(terms, sumAmounts(lines))
  if (total > 0 && declines(context, customer)) throw context.refuse('Your card was declined.')
}

/** What is left of the old price is the customer's: invoices take from it. */
export function creditCustomer(
  context: AccountContext,
  { customer, terms }: SubscriptionRecord,
  credit: PricedLine,
): void {
  find(context, 'customers', customer).balance -= amountsOn(terms, credit.amount).total
}

/** Takes away the line that waits for the next invoice and has this id; null if there is none. */
export function removePendingLine(
  context: AccountContext,
  idOf: (subscription: SubscriptionRecord, line: PricedLine) => string,
  id: string,
): { subscription: SubscriptionRecord; line: PricedLine } | null {
  for (const subscription of all(context, 'subscriptions')) {
    const index = subscription.pendingLines.findIndex((line) => idOf(subscription, line) === id)
    const [line] = index < 0 ? [] : subscription.pendingLines.splice(index, 1)
    if (line) return { subscription, line }
  }
  return null
}

/** Makes and pays the invoice of a change, and of those before that are not paid. */
export function payChange(context: AccountContext, subscription: SubscriptionRecord, lines: PricedLine[]): void {
  const { seller, email } = latestInvoice(context, subscription)
  const billed = [...subscription.pendingLines, ...lines]
  subscription.pendingLines = []
  const invoice = newInvoice(context, subscription, { seller, email, reason: 'update', status: 'open', lines: billed })
  context.emit({ what: 'invoice.created', invoice })
  collectInvoice(context, invoice, true)
}
