import type { Subscription } from 'chargebee'
import { hasDiscountLeft } from '../../core/domain/amounts.ts'
import { type AccountContext, find } from '../../core/domain/context.ts'
import { findSale } from '../../core/domain/sales.ts'
import type { PageRecord, SoldPrice, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { hasEnded } from '../../core/domain/subscriptions.ts'
import { HOUR_SECONDS } from '../../core/periods.ts'
import type { Views } from '../../core/wire/views.ts'
import { isDue, listBills } from '../bills.ts'
import { customerOwn, pageOwn } from '../own.ts'
import { withBuyer } from './money.ts'
import { complete, content, versioned } from './wire.ts'

/** The lifetime of a portal's URL: UNVERIFIED. */
export const PORTAL_SECONDS = HOUR_SECONDS

/** Customers, pages, portals and subscriptions. */
export const SELLING = {
  customers({ id, email, created, balance, own }, context) {
    const { locale } = customerOwn({ own })
    return versioned(
      context,
      complete('customer', {
        id,
        ...(email !== null && { email }),
        ...(locale !== null && { locale }),
        created_at: created,
        ...(balance > 0 && { refundable_credits: balance }),
      }),
    )
  },

  pages(page, context) {
    const { id, mode, created, expiresAt } = page
    const { passThru, changes, collects } = pageOwn(page)
    const sells = mode === 'subscription' ? 'checkout_new' : 'checkout_one_time'
    return versioned(
      context,
      complete('hosted_page', {
        id,
        url: `${context.url}/pages/v3/${id}`,
        state: pageState(page),
        type: collects ? 'collect_now' : changes === null ? sells : 'checkout_existing',
        ...(passThru !== null && { pass_thru_content: passThru }),
        created_at: created,
        expires_at: expiresAt,
        content: bought(page, context),
      }),
    )
  },

  portalSessions: ({ id, created, customer, returnUrl }, { url }) =>
    complete('portal_session', {
      id,
      token: id,
      access_url: `${url}/portal/v2/${id}`,
      customer_id: customer,
      ...(returnUrl !== null && { redirect_url: returnUrl }),
      created_at: created,
      expires_at: created + PORTAL_SECONDS,
    }),

  subscriptions(subscription, context) {
    const { id, customer, price, created, trialEnd, periodStart, periodEnd } = subscription
    const { cancelAt, canceledAt, endedAt } = subscription
    const status = subscriptionStatus(subscription)
    const unpaid = listBills(context, id).filter((bill) => isDue(context, bill))
    const cancelledAt = endedAt ?? cancelAt
    return versioned(
      context,
      complete('subscription', {
        id,
        status,
        customer_id: customer,
        currency_code: price.currency,
        ...planFields(subscription),
        created_at: created,
        started_at: created,
        start_date: created,
        current_term_start: periodStart,
        current_term_end: periodEnd,
        ...(status !== 'cancelled' && status !== 'non_renewing' && { next_billing_at: periodEnd }),
        ...(trialEnd !== null && { trial_start: created, trial_end: trialEnd }),
        ...(status !== 'in_trial' && { activated_at: trialEnd ?? created }),
        ...(cancelledAt !== null && { cancelled_at: cancelledAt }),
        ...(cancelAt !== null && canceledAt !== null && { cancel_schedule_created_at: canceledAt }),
        ...(subscription.cancelReason === 'payment_failed' && { cancel_reason: 'not_paid' as const }),
        ...(subscription.scheduled && { has_scheduled_changes: true, changes_scheduled_at: periodEnd }),
        ...(hasDiscountLeft(subscription) &&
          subscription.coupon !== null && { coupons: [{ coupon_id: subscription.coupon, applied_count: 0 }] }),
        due_invoices_count: unpaid.length,
        ...(unpaid[0] && {
          due_since: unpaid[0].created,
          total_dues: unpaid.reduce((sum, { amount }) => sum + amount, 0),
        }),
      }),
    )
  },
} satisfies Views

/** The fields of a subscription that a change of plan changes. */
export function planFields({ price, quantity, trialEnd }: SubscriptionRecord) {
  const amount = price.amount * quantity
  const item = { item_price_id: price.id, quantity, unit_price: price.amount, amount, free_quantity: 0 }
  return {
    billing_period: price.intervalCount ?? 1,
    billing_period_unit: price.interval ?? 'month',
    subscription_items: [{ ...item, item_type: 'plan' as const, ...(trialEnd !== null && { trial_end: trialEnd }) }],
  }
}

/** An expired page keeps its state. */
export function pageState(page: PageRecord) {
  if (page.status === 'complete') return 'succeeded' as const
  return pageOwn(page).cancelled ? ('cancelled' as const) : ('created' as const)
}

/** The current objects of what was bought or changed on the page. A trial has no invoice. */
export function bought(page: PageRecord, context: AccountContext) {
  const { status, subscription: id, payment, customer } = page
  const { changes, collects } = pageOwn(page)
  if (status !== 'complete') return {}
  if (collects) return content(context.show('customers', find(context, 'customers', customer ?? '')))
  if (id === null) return withBuyer(findSale(context, find(context, 'payments', payment ?? '')), context)
  const invoice = listBills(context, id).at(changes === null ? 0 : -1)
  return invoice ? withBuyer(invoice, context) : withCustomer(find(context, 'subscriptions', id), context)
}

/** A subscription with its customer. */
export const withCustomer = (subscription: SubscriptionRecord, context: AccountContext) =>
  content(
    context.show('subscriptions', subscription),
    context.show('customers', find(context, 'customers', subscription.customer)),
  )

/** Chargebee has no status for a past due subscription: it stays active, and counts its due invoices. */
export function subscriptionStatus(subscription: SubscriptionRecord): Subscription['status'] {
  const { status, cancelAt } = subscription
  if (hasEnded(subscription)) return 'cancelled'
  if (status === 'trialing') return 'in_trial'
  if (status === 'paused') return 'paused'
  return cancelAt === null ? 'active' : 'non_renewing'
}

export function itemPriceObject({ id, label: name, amount, currency, interval, intervalCount }: SoldPrice) {
  const period = interval && { period: intervalCount ?? 1, period_unit: interval }
  const about = { id, name, price: amount, currency_code: currency, ...period }
  return complete('item_price', { ...about, item_type: interval ? 'plan' : 'charge' })
}
