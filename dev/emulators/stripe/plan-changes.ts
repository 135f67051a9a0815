import * as z from 'zod'
import { currentTerms, paidTerms } from '../core/domain/amounts.ts'
import { type AccountContext, all, find } from '../core/domain/context.ts'
import { declines } from '../core/domain/customers.ts'
import type { Due } from '../core/domain/dues.ts'
import { collectInvoice } from '../core/domain/invoices.ts'
import type { InvoiceRecord } from '../core/domain/money-records.ts'
import {
  invoiceChange,
  isCharged,
  isSamePeriodLength,
  OTHER_PRICES,
  type ProratedDiscounts,
  prorate,
  refuseUnchangeable,
} from '../core/domain/plan-changes.ts'
import { findSold } from '../core/domain/prices.ts'
import type { PricedLine, SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, hasEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { HOUR_SECONDS } from '../core/periods.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { asksForAuthentication, awaitAuthentication } from './authentication.ts'
import { refused } from './errors.ts'
import { subscriptionItemId } from './objects/selling.ts'
import { type PendingUpdate, subscriptionOwn } from './own.ts'

/*
 * A change of a subscription's price or quantity by the API (docs.stripe.com/billing/subscriptions/prorations). The pending updates are
 * those of docs.stripe.com/billing/subscriptions/pending-updates and its reference.
 */

/**
 * The parameters of a change, in updates and previews. That an item without `quantity` keeps its own is UNVERIFIED. `proration_behavior`:
 * "the default value is `create_prorations`".
 */
export const changeParameters = {
  items: z.tuple([z.strictObject({ id: text(), price: text(), quantity: integer(1, 999_999).optional() })]).optional(),
  proration_behavior: z.enum(['always_invoice', 'create_prorations', 'none']).default('create_prorations'),
  proration_date: integer(0).optional(),
}

const ChangeParameters = z.object(changeParameters)
export type Change = z.output<typeof ChangeParameters>

/** What a change is billed, and whether that is done at once. */
interface Billed {
  price: SoldPrice
  quantity: number
  lines: PricedLine[]
  isNow: boolean
  period: PendingUpdate['period']
}

/**
 * Calculates a change: changes of the quantity are prorated, too. "When the billing interval changes", the new price is charged in full and
 * at once, whatever the behaviour. A trial continues, free of charge.
 *
 * @param prefix of the parameters' names, for errors
 */
export function billChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  { items, proration_behavior: behavior, proration_date: date }: Change,
  prefix: (name: string) => string = (name) => name,
): Billed {
  const price = items ? findItemPrice(context, subscription, items[0], prefix) : subscription.price
  if (date !== undefined) refuseProrationDate(subscription, date, behavior, prefix)
  const quantity = items?.[0].quantity ?? subscription.quantity
  const isSame = price.id === subscription.price.id && quantity === subscription.quantity
  if (subscription.status === 'trialing' || isSame) return { price, quantity, lines: [], isNow: false, period: null }
  const isNew = !isSamePeriodLength(price, subscription.price)
  const { now } = context
  const given = { now, usedUntil: date ?? now, quantity, discounts: discountsOfChange(subscription, price) }
  const { credit, charge, period } = prorate(subscription, price, given)
  const lines = [...(behavior === 'none' ? [] : [credit]), { ...charge, isProration: !isNew }]
  if (behavior === 'none' && !isNew) lines.pop()
  return { price, quantity, lines, isNow: isNew || behavior === 'always_invoice', period: isNew ? period : null }
}

/**
 * The credit is of what was debited for the period, as in flexible billing mode, and the amounts of prorations are after discounts
 * (docs.stripe.com/billing/subscriptions/billing-mode/compare, and `proration_discounts: included` of
 * docs.stripe.com/changelog/clover/2025-09-30/itemize-proration-discount-amounts). A coupon for one invoice has been used up by then.
 */
export const discountsOfChange = (subscription: SubscriptionRecord, price: SoldPrice): ProratedDiscounts => ({
  credit: paidTerms(subscription),
  charge: isSamePeriodLength(price, subscription.price) ? currentTerms(subscription) : null,
})

function findItemPrice(
  context: AccountContext,
  subscription: SubscriptionRecord,
  item: { id: string; price: string },
  prefix: (name: string) => string,
): SoldPrice {
  const field = (name: string) => `${prefix('items')}[0][${name}]`
  const missing = { kind: 'subscription item', id: item.id, param: field('id') }
  if (item.id !== subscriptionItemId(subscription)) throw refused('parameter_names_nothing', missing)
  const price = findPrice(context, item.price, field('price'))
  if (price.interval === null) throw refused('price_not_recurring', { param: field('price') })
  const currencies = { currency: price.currency, expected: subscription.price.currency, param: field('price') }
  if (price.currency !== subscription.price.currency) throw refused('currency_differs', currencies)
  return price
}

/** A price of the account, also one that is in no paywall file. `param`: the parameter that named it. */
export const findPrice = (context: AccountContext, id: string, param: string): SoldPrice =>
  OTHER_PRICES.read(context).find((price) => price.id === id) ?? findSold(context, id, { param }).price

/** The text is quoted in a public repository. That it is an error with `none` is in the documentation, its text is UNVERIFIED. */
function refuseProrationDate(
  { periodStart, periodEnd }: SubscriptionRecord,
  date: number,
  behavior: Change['proration_behavior'],
  prefix: (name: string) => string,
): void {
  const param = prefix('proration_date')
  if (behavior === 'none') throw refused('proration_date_unused', { param })
  if (date < periodStart || date > periodEnd) throw refused('proration_date_outside', { param })
}

/** How the charge of a change ends. */
type ChargeResult = 'paid' | 'declined' | 'requires_action'

function toResult(context: AccountContext, subscription: SubscriptionRecord, lines: PricedLine[]): ChargeResult {
  const { customer, pendingLines } = subscription
  if (!isCharged(context, subscription, [...pendingLines, ...lines])) return 'paid'
  if (asksForAuthentication(context, customer)) return 'requires_action'
  return declines(context, customer) ? 'declined' : 'paid'
}

/** Creates the invoice of a change, and charges it. */
function chargeChange(
  context: AccountContext,
  subscription: SubscriptionRecord,
  lines: PricedLine[],
  result: ChargeResult,
): InvoiceRecord {
  const invoice = invoiceChange(context, subscription, lines)
  if (result === 'requires_action') awaitAuthentication(context, invoice)
  else collectInvoice(context, invoice, result === 'paid')
  return invoice
}

/**
 * Changes the price and the quantity. If the charge is declined or must be authenticated, the change is made all the same and the
 * subscription is past due, or with `pending_if_incomplete` it waits for the payment of its invoice.
 */
export function changeItems(
  context: AccountContext,
  subscription: SubscriptionRecord,
  given: Change,
  { waits, cancelAtPeriodEnd }: { waits: boolean; cancelAtPeriodEnd: boolean | undefined },
): boolean {
  refuseUnchangeable(context, subscription)
  const { price, quantity, lines, isNow, period } = billChange(context, subscription, given)
  const result = isNow ? toResult(context, subscription, lines) : 'paid'
  if (waits) discardUpdate(context, subscription)
  if (result !== 'paid' && waits) {
    const update = { price, quantity, period, cancelAtPeriodEnd: cancelAtPeriodEnd ?? null }
    wait(context, subscription, update, { lines, result })
    return false
  }
  change(context, subscription, () => {
    Object.assign(subscription, { price, quantity, ...period })
    if (lines.length > 0) subscription.changedTerms = currentTerms(subscription)
    if (!isNow) subscription.pendingLines.push(...lines)
    else chargeChange(context, subscription, lines, result)
    if (result !== 'paid') subscription.status = 'past_due'
  })
  return true
}

/**
 * A pending update expires 23 hours later, or earlier with its period. Whether its invoice is charged again by itself is UNVERIFIED: here it
 * is not.
 */
function wait(
  context: AccountContext,
  subscription: SubscriptionRecord,
  update: Pick<PendingUpdate, 'price' | 'quantity' | 'period' | 'cancelAtPeriodEnd'>,
  { lines, result }: { lines: PricedLine[]; result: ChargeResult },
): void {
  change(context, subscription, () => {
    const invoice = chargeChange(context, subscription, lines, result)
    invoice.isGivenUp = true
    const expiresAt = Math.min(context.now + 23 * HOUR_SECONDS, subscription.periodEnd)
    setUpdate(subscription, { ...update, expiresAt, invoice: invoice.id })
  })
}

function setUpdate(subscription: SubscriptionRecord, pendingUpdate: PendingUpdate | null): void {
  subscription.own = { ...subscriptionOwn(subscription), pendingUpdate }
}

/** The subscription whose update waits for an invoice; null if there is none. */
export function findWaiting(
  context: AccountContext,
  { id, subscription: of }: InvoiceRecord,
): SubscriptionRecord | null {
  const subscription = find(context, 'subscriptions', of)
  return subscriptionOwn(subscription).pendingUpdate?.invoice === id ? subscription : null
}

/** Pays the invoice of the pending update, which is then made. The new period is that which would have begun with it: UNVERIFIED. */
export function payUpdate(context: AccountContext, subscription: SubscriptionRecord): void {
  const { pendingUpdate } = subscriptionOwn(subscription)
  if (!pendingUpdate) return
  const { price, quantity, period, cancelAtPeriodEnd, invoice } = pendingUpdate
  change(context, subscription, () => {
    collectInvoice(context, find(context, 'invoices', invoice), true)
    Object.assign(subscription, { price, quantity, ...period })
    subscription.changedTerms = currentTerms(subscription)
    if (cancelAtPeriodEnd !== null) scheduleEnd(context, subscription, cancelAtPeriodEnd)
    setUpdate(subscription, null)
  })
  context.emit({ what: 'subscription.update_applied', subscription })
}

/**
 * Gives up the pending update, and voids its invoice. `customer.subscription.updated` is not sent for it, as measured in a sandbox
 * (a public repository's notes on version 2026-09-30.endive).
 */
export function discardUpdate(context: AccountContext, subscription: SubscriptionRecord): void {
  const { pendingUpdate } = subscriptionOwn(subscription)
  if (!pendingUpdate) return
  setUpdate(subscription, null)
  const invoice = find(context, 'invoices', pendingUpdate.invoice)
  invoice.status = 'void'
  find(context, 'customers', invoice.customer).balance += invoice.fromBalance
  context.emit({ what: 'subscription.update_expired', subscription })
}

export const pendingUpdatesDue = (context: AccountContext): Due[] =>
  all(context, 'subscriptions').flatMap((subscription) => {
    const { pendingUpdate } = subscriptionOwn(subscription)
    if (!pendingUpdate || hasEnded(subscription)) return []
    return { at: pendingUpdate.expiresAt, run: (then) => discardUpdate(then, subscription) }
  })
