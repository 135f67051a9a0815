import type { models } from '@polar-sh/sdk/2026-10'
import { amountsOn, hasDiscount } from '../../core/domain/amounts.ts'
import { type AccountContext, find, lookUp } from '../../core/domain/context.ts'
import { amountToday } from '../../core/domain/pages.ts'
import type { PageRecord, SoldPrice, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { DAY_SECONDS } from '../../core/periods.ts'
import type { Views } from '../../core/wire/views.ts'
import { toUuid } from '../accounts.ts'
import { toDiscount } from '../discounts.ts'
import { customerOwn, pageOwn, subscriptionOwn } from '../own.ts'
import { PORTAL_SECONDS } from '../rules.ts'
import { complete, since, stamped, timeOrNull, timeText } from './wire.ts'

/** Customers, portals, checkouts and subscriptions. */
export const SELLING = {
  customers: (customer, context) =>
    stamped(
      context,
      'customer',
      complete('customer', {
        ...since(customer.created),
        id: customer.id,
        organization_id: customer.account,
        name: customer.name,
        email: customer.email ?? '',
        ...customerOwn(customer),
      }),
    ),

  portalSessions({ id, created, returnUrl, customer }, context) {
    const token = `polar_cst_${id}`
    return {
      ...since(created),
      id,
      token,
      expires_at: timeText(created + PORTAL_SECONDS),
      return_url: returnUrl,
      customer_portal_url: `${context.url}/portal/${token}`,
      customer_id: customer,
      customer: findCustomer(context, customer),
    } satisfies models.CustomerSession
  },

  pages(page, context) {
    const { price, trialDays, created } = page
    const { currency } = price
    const { subtotal, discount, tax, total } = amountsOn(page.terms, price.amount)
    const amount = price.amount
    const secret = `polar_c_${page.id}`
    const prices = [priceObject(price)]
    const product = { ...productFields(context, price), prices, benefits: [], medias: [] }
    const trial_interval = trialDays === null ? null : 'day'
    const trial_interval_count = trialDays
    const checkout = complete('checkout', {
      ...since(created),
      id: page.id,
      organization_id: page.account,
      status: checkoutStatus(page, context),
      client_secret: secret,
      url: `${context.url}/checkout/${secret}`,
      expires_at: timeText(page.expiresAt),
      success_url: page.successUrl,
      return_url: page.cancelUrl,
      ...pageOwn(page),
      amount,
      discount_id: page.coupon,
      discount_amount: discount,
      net_amount: subtotal - discount,
      tax_amount: tax,
      total_amount: total,
      currency,
      trial_interval,
      trial_interval_count,
      active_trial_interval: trial_interval,
      active_trial_interval_count: trial_interval_count,
      trial_end: timeOrNull(trialDays === null ? null : created + trialDays * DAY_SECONDS),
      product_id: price.id,
      product_price_id: toPriceId(price),
      products: [product],
      product,
      product_price: priceObject(price),
      prices: { [price.id]: prices },
      is_free_product_price: amount === 0,
      is_payment_required: amountToday(page) > 0,
      is_payment_setup_required: price.interval !== null,
      is_payment_form_required: amount > 0,
      customer_id: page.customer,
      customer_email: page.payerEmail ?? page.email,
    })
    return stamped(context, 'checkout', checkout)
  },

  subscriptions(record, context): models.Subscription {
    const prices = [priceObject(record.price)]
    const product = { ...productFields(context, record.price), metadata: {}, is_deletable: false, prices, benefits: [] }
    return {
      ...subscriptionFields(record, context),
      customer: findCustomer(context, record.customer),
      discount: toDiscount(context, record),
      prices,
      meters: [],
      pending_update: pendingUpdate(record),
      product: { ...product, medias: [], attached_custom_fields: [] },
    }
  },
} satisfies Views

function pendingUpdate({ id, scheduled, periodEnd, created }: SubscriptionRecord) {
  if (scheduled === null) return null
  const update = { product_id: scheduled.price.id, discount_id: null, discount_unset: false, seats: null, units: null }
  return { ...since(created), ...update, id: toUuid(`update ${id}`), applies_at: timeText(periodEnd) }
}

export const findCustomer = (context: AccountContext, id: string): models.CustomerIndividual =>
  SELLING.customers(find(context, 'customers', id), context)

/** The creation time of products, which exist before anything else. */
const PRODUCTS_CREATED = Date.UTC(2026, 0, 1) / 1000

const priceObject = (price: SoldPrice) =>
  complete('price', {
    ...since(PRODUCTS_CREATED),
    id: toPriceId(price),
    product_id: price.id,
    price_currency: price.currency,
    price_amount: price.amount,
  })

export const toPriceId = ({ id, currency }: SoldPrice) => toUuid(`price ${id} ${currency}`)

export const productFields = ({ account }: AccountContext, { id, label, interval, intervalCount }: SoldPrice) =>
  complete('product', {
    ...since(PRODUCTS_CREATED),
    id,
    name: label,
    organization_id: account.id,
    is_recurring: interval !== null,
    recurring_interval: interval,
    recurring_interval_count: interval === null ? null : (intervalCount ?? 1),
  })

/** A checkout is `confirmed` while its payment is pending. */
function checkoutStatus({ status, unpaid, payment, subscription }: PageRecord, context: AccountContext) {
  if (status !== 'complete' || !unpaid) return status === 'complete' ? 'succeeded' : status
  const isLost =
    lookUp(context, 'payments', payment ?? '')?.status === 'failed' ||
    lookUp(context, 'subscriptions', subscription ?? '')?.status === 'incomplete_expired'
  return isLost ? 'failed' : 'confirmed'
}

export function subscriptionFields(record: SubscriptionRecord, context: AccountContext) {
  const { id, status, price, cancelAt, endedAt, trialEnd, created } = record
  const fields = complete('subscription', {
    ...since(created),
    started_at: timeText(created),
    ...subscriptionOwn(record),
    id,
    amount: amountAfterDiscount(record),
    currency: price.currency,
    product_id: price.id,
    customer_id: record.customer,
    recurring_interval: price.interval ?? 'month',
    recurring_interval_count: price.intervalCount ?? 1,
    status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
    current_period_start: timeText(record.periodStart),
    current_period_end: timeText(record.periodEnd),
    trial_start: timeOrNull(trialEnd === null ? null : created),
    trial_end: timeOrNull(trialEnd),
    cancel_at_period_end: record.cancelAtPeriodEnd,
    canceled_at: timeOrNull(record.canceledAt),
    ends_at: timeOrNull(endedAt ?? cancelAt),
    ended_at: timeOrNull(endedAt),
  })
  return stamped(context, 'subscription', fields)
}

/**
 * What a period costs after the discount, from the moment on that the subscription has the discount: `update_amount_and_currency` and
 * `_discount_set` in server/polar/models/subscription.py.
 */
function amountAfterDiscount(record: SubscriptionRecord): number {
  const { price, terms } = record
  return hasDiscount(record) ? price.amount - amountsOn(terms, price.amount).discount : price.amount
}
