import { amountsOn, sumAmounts, withoutDiscount } from '../../core/domain/amounts.ts'
import { type AccountContext, find, lookUp, newestFirst } from '../../core/domain/context.ts'
import { latestInvoice } from '../../core/domain/invoices.ts'
import type { InvoiceRecord } from '../../core/domain/money-records.ts'
import type { PageRecord, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { HOUR_SECONDS } from '../../core/periods.ts'
import { licenseOwn, soldOwn } from '../own.ts'
import { billingCycle, complete, couponId, dateTime, dateTimeOrNull, decimal, parsePrice, toCurrency } from './wire.ts'

/** A licence, from the completed page that sold it. */
export function licenseObject(page: PageRecord, context: AccountContext) {
  const { environment, cancelled } = licenseOwn(page)
  const subscription = findSubscription(page, context)
  return complete('license', {
    id: page.id,
    created: dateTime(page.created),
    plugin_id: page.account,
    user_id: page.customer,
    ...parsePrice(page.price),
    secret_key: `sk_${page.id}`,
    environment,
    expiration: dateTimeOrNull(toExpiration(page, context)),
    // After the last failed charge Freemius cancels the subscription and the licence.
    is_cancelled: cancelled || subscription?.cancelReason === 'payment_failed',
  })
}

/** The latest subscription of a licence; null for a lifetime licence. */
export const findSubscription = ({ subscription }: PageRecord, context: AccountContext) =>
  lookUp(context, 'subscriptions', subscription ?? '')

/** The licence of a subscription, an invoice or a payment. */
export function findLicense(sold: { own: object; subscription?: string | null }, context: AccountContext): PageRecord {
  const { license } = soldOwn(sold)
  if (license !== null) return find(context, 'pages', license)
  return findLicense(find(context, 'subscriptions', sold.subscription ?? ''), context)
}
/** The end of a licence's paid period or trial; null: lifetime. */
function toExpiration(page: PageRecord, context: AccountContext): number | null {
  const subscription = findSubscription(page, context)
  if (subscription === null) return null
  const { status, periodStart, periodEnd } = latestInvoice(context, subscription)
  const paidUntil = status === 'paid' ? periodEnd : periodStart
  // A cancelled trial ends at once; a paid period continues to its end.
  return Math.min(paidUntil, subscription.endedAt ?? paidUntil)
}

/** A pending first payment is charged again within this many seconds: UNVERIFIED. */
const FIRST_PAYMENT_SECONDS = 12 * HOUR_SECONDS

export function subscriptionObject(subscription: SubscriptionRecord, context: AccountContext) {
  const { id, created, account, customer, price, trialEnd } = subscription
  const license = findLicense(subscription, context)
  const amount = decimal(price.amount)
  const invoices = newestFirst(context, 'invoices', { subscription: id })
  const paid = invoices.filter(({ status }) => status === 'paid')
  const latest = latestInvoice(context, subscription)
  const isPaid = latest.status === 'paid'
  const owedAt = latest.periodStart + (latest.reason === 'create' ? FIRST_PAYMENT_SECONDS : 0)
  const canceledAt = subscription.canceledAt ?? subscription.endedAt
  return complete('subscription', {
    id,
    created: dateTime(created),
    plugin_id: account,
    user_id: customer,
    license_id: license.id,
    ...parsePrice(price),
    external_id: `sub_${id}`,
    currency: toCurrency(price.currency),
    environment: licenseOwn(license).environment,
    total_gross: decimal(paid.reduce((sum, invoice) => sum + invoice.amount, 0)),
    amount_per_cycle: amount,
    initial_amount: decimal(initialAmount(invoices) ?? price.amount),
    renewal_amount: decimal(netAmount(subscription)),
    tax_rate: subscription.terms.taxPercent / 100,
    coupon_id: license.coupon === null ? null : couponId(license.coupon),
    billing_cycle: billingCycle(price),
    outstanding_balance: isPaid ? 0 : decimal(latest.amount),
    // Whether the number is reset after a payment is UNVERIFIED. The harder case is that it is not.
    failed_payments: invoices.reduce((sum, { attempts }) => sum + attempts, 0) - paid.length,
    trial_ends: dateTimeOrNull(trialEnd),
    next_payment: dateTimeOrNull(canceledAt !== null ? null : isPaid ? subscription.periodEnd : owedAt),
    canceled_at: dateTimeOrNull(canceledAt),
  })
}

/** Amounts exclude taxes. */
function netAmount({ price, terms }: SubscriptionRecord): number {
  const { total, tax } = amountsOn(terms.lasts === 'once' ? withoutDiscount(terms) : terms, price.amount)
  return total - tax
}

/** The first amount of a subscription: less than its price if it replaced another one; undefined after a trial. */
function initialAmount(invoices: InvoiceRecord[]): number | undefined {
  const first = invoices.at(-1)
  return first && first.reason !== 'cycle' && sumAmounts(first.lines) > 0 ? first.amount - first.tax : undefined
}
