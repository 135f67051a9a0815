import { hash } from 'node:crypto'
import { hasDiscountLeft } from '../../core/domain/amounts.ts'
import { amountsToday, amountToday } from '../../core/domain/pages.ts'
import type { PageRecord, SoldPrice, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import type { Views } from '../../core/wire/views.ts'
import { managingSchedule, type PendingUpdate, pageOwn, subscriptionOwn } from '../own.ts'
import { pageSettings, postPaymentInvoiceId } from './page-settings.ts'
import { complete, toList } from './wire.ts'

/** Customers, sessions and subscriptions. */
export const SELLING = {
  customers: (customer) =>
    complete('customer', {
      ...snakeFields(customer, 'id', 'created', 'email'),
      // Negative: credit that is applied to the next invoice.
      balance: -customer.balance,
      invoice_prefix: customer.id.slice(-8).toUpperCase(),
    }),

  pages(page, { url }) {
    const recurs = page.mode === 'subscription'
    const { discount, tax } = amountsToday(page)
    return complete('checkout.session', {
      ...snakeFields(page, 'id', 'cancelUrl', 'created', 'customer', 'expiresAt', 'mode', 'status'),
      ...snakeFields(page, 'subscription', 'successUrl'),
      ...pageOwn(page),
      ...sums(page),
      ...pageSettings(page),
      total_details: { amount_discount: discount, amount_tax: tax },
      currency: page.price.currency,
      invoice: page.invoice ?? postPaymentInvoiceId(page),
      customer_creation: recurs || page.makesCustomer ? 'always' : 'if_required',
      customer_details: customerDetails(page),
      payment_intent: recurs ? null : page.payment,
      payment_method_collection: recurs && page.asks.card ? 'always' : 'if_required',
      payment_status: paymentStatus(page),
      url: page.status === 'open' ? `${url}/c/pay/${page.id}` : null,
    })
  },

  portalSessions: (session, { url }) =>
    complete('billing_portal.session', {
      ...snakeFields(session, 'id', 'created', 'customer', 'returnUrl'),
      url: `${url}/p/session/${session.id}`,
    }),

  subscriptions(subscription) {
    const { id, created, status, trialEnd, cancelReason: reason } = subscription
    const { metadata, comment, feedback, missing_payment_method, pendingUpdate } = subscriptionOwn(subscription)
    return complete('subscription', {
      ...snakeFields(subscription, 'id', 'cancelAt', 'cancelAtPeriodEnd', 'canceledAt', 'created', 'customer'),
      ...snakeFields(subscription, 'endedAt', 'latestInvoice', 'trialEnd'),
      automatic_tax: automaticTax(isTaxed(subscription)),
      billing_cycle_anchor: subscription.anchor,
      cancellation_details: { comment, feedback, reason },
      currency: subscription.price.currency,
      discounts: discountIds(subscription),
      items: toList(`/v1/subscription_items?subscription=${id}`, [itemObject(subscription)]),
      metadata,
      pending_update: pendingUpdate && pendingUpdateObject(subscription, pendingUpdate),
      schedule: managingSchedule(subscription)?.id ?? null,
      start_date: created,
      status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
      trial_settings: { end_behavior: { missing_payment_method } },
      trial_start: trialEnd === null ? null : created,
    })
  },
} satisfies Views

/** The ids of a subscription's discounts. A coupon of one invoice is gone with it. */
const discountIds = (subscription: SubscriptionRecord) =>
  hasDiscountLeft(subscription) ? [`di_${subscription.id.slice(4)}`] : []

/** The setting of "Stripe Tax" of a subscription, or of a phase of its schedule. */
export const automaticTax = (enabled: boolean) => ({ enabled, disabled_reason: null, liability: null })

export const isTaxed = ({ terms }: SubscriptionRecord) => terms.taxPercent > 0

function sums(page: PageRecord) {
  const { subtotal, total } = amountsToday(page)
  return { amount_subtotal: subtotal, amount_total: total }
}

function customerDetails({ email: known, payerEmail, status, taxId }: PageRecord) {
  const email = payerEmail ?? known
  const taxIds = taxId === null ? [] : [{ type: 'eu_vat' as const, value: taxId }]
  return email === null ? null : { email, tax_ids: status === 'complete' ? taxIds : null }
}

function paymentStatus(page: PageRecord) {
  if (page.status !== 'complete' || page.unpaid) return 'unpaid'
  return amountToday(page) === 0 ? 'no_payment_required' : 'paid'
}

/** Stripe includes these in a session only with `expand`. */
export function checkoutLineItems(page: PageRecord) {
  const { discount, tax } = amountsToday(page)
  const item = complete('item', {
    id: `li_${page.id.slice(-24)}`,
    ...sums(page),
    amount_discount: discount,
    amount_tax: tax,
    currency: page.price.currency,
    description: page.price.label,
    price: priceObject(page.price),
    quantity: page.quantity,
  })
  return toList(`/v1/checkout/sessions/${page.id}/line_items`, [item])
}

/** What Stripe shows of `billing_cycle_anchor` is UNVERIFIED. */
function pendingUpdateObject(subscription: SubscriptionRecord, { price, quantity, period, ...update }: PendingUpdate) {
  return {
    ...snakeFields(update, 'cancelAtPeriodEnd', 'expiresAt'),
    billing_cycle_anchor: period?.anchor ?? null,
    discount: null,
    discounts: null,
    metadata: null,
    subscription_items: [itemObject({ ...subscription, price, quantity, ...period })],
    trial_end: null,
    trial_from_plan: null,
  }
}

function itemObject(subscription: SubscriptionRecord) {
  const { id, price, periodEnd, periodStart } = subscription
  return complete('subscription_item', {
    ...snakeFields(subscription, 'created', 'quantity'),
    id: subscriptionItemId(subscription),
    current_period_end: periodEnd,
    current_period_start: periodStart,
    plan: planObject(price),
    price: priceObject(price),
    subscription: id,
  })
}

/** The id of a subscription's only item. */
export const subscriptionItemId = ({ id }: Pick<SubscriptionRecord, 'id'>) => `si_${id.slice(4)}`

export function priceObject(price: SoldPrice) {
  const { amount, interval, intervalCount } = price
  return complete('price', {
    ...common(price),
    recurring: interval && { interval, interval_count: intervalCount ?? 1 },
    type: interval ? 'recurring' : 'one_time',
    unit_amount: amount,
    unit_amount_decimal: String(amount),
  })
}

/** The legacy form of a recurring price. */
const planObject = (price: SoldPrice) =>
  complete('plan', {
    ...common(price),
    amount: price.amount,
    amount_decimal: String(price.amount),
    interval: price.interval ?? 'month',
    interval_count: price.intervalCount ?? 1,
  })

const common = (price: SoldPrice) => ({
  id: price.id,
  currency: price.currency,
  nickname: price.label,
  product: productId(price),
})

export const productId = ({ id }: SoldPrice) => `prod_${hash('sha256', id).slice(0, 14)}`
