import { type AccountContext, find, newestOf } from '../../core/domain/context.ts'
import { latestInvoice } from '../../core/domain/invoices.ts'
import type { PageRecord, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { licenseOwn, subscriptionOwn } from '../own.ts'
import { billingCycle, complete, currencyOf, dateTime, dateTimeOrNull, decimal, idsOf } from './wire.ts'

/** A licence, from the completed page that sold it. */
export function licenseObject(page: PageRecord, context: AccountContext) {
  const { environment, cancelled } = licenseOwn(page)
  const subscription = subscriptionOf(page, context)
  return complete('license', {
    ...{ id: page.id, created: dateTime(page.created), plugin_id: page.account, user_id: page.customer },
    ...{ ...idsOf(page.price), secret_key: `sk_${page.id}`, environment },
    expiration: dateTimeOrNull(expirationOf(page, context)),
    // After the last failed charge Freemius cancels the subscription and the licence.
    is_cancelled: cancelled || subscription?.cancelReason === 'payment_failed',
  })
}

/** The latest subscription of a licence; null if it was bought for ever. */
export const subscriptionOf = ({ subscription }: PageRecord, context: AccountContext) =>
  subscription === null ? null : find(context, 'subscriptions', subscription)

export const licenseOf = (subscription: SubscriptionRecord, context: AccountContext) =>
  find(context, 'pages', subscriptionOwn(subscription).license)

/** A licence lasts as long as it is paid for, or as its trial; null: for ever. */
function expirationOf(page: PageRecord, context: AccountContext): number | null {
  const subscription = subscriptionOf(page, context)
  if (subscription === null) return null
  const { status, periodStart, periodEnd } = latestInvoice(context, subscription)
  const paidUntil = status === 'paid' ? periodEnd : periodStart
  // A trial ends as it is cancelled; a period that is paid for goes on to its end.
  return Math.min(paidUntil, subscription.endedAt ?? paidUntil)
}

/** The first payment that has not arrived is charged again within this many seconds. */
const FIRST_PAYMENT_SECONDS = 12 * 3600

export function subscriptionObject(subscription: SubscriptionRecord, context: AccountContext) {
  const { id, created, account, customer, price, trialEnd, canceledAt, endedAt } = subscription
  const { license } = subscriptionOwn(subscription)
  const amount = decimal(price.amount)
  const paid = newestOf(context, 'invoices', { subscription: id, status: 'paid' })
  const owes = latestInvoice(context, subscription).status !== 'paid'
  return complete('subscription', {
    ...{ id, created: dateTime(created), plugin_id: account, user_id: customer, license_id: license },
    ...{ ...idsOf(price), external_id: `sub_${id}`, currency: currencyOf(price.currency) },
    environment: licenseOwn(licenseOf(subscription, context)).environment,
    total_gross: decimal(paid.reduce((sum, invoice) => sum + invoice.amount, 0)),
    ...{ amount_per_cycle: amount, initial_amount: amount, renewal_amount: amount },
    billing_cycle: billingCycle(price.interval) as 1 | 12,
    outstanding_balance: owes ? amount : 0,
    failed_payments: failedPayments(subscription, context),
    trial_ends: dateTimeOrNull(trialEnd),
    next_payment: dateTimeOrNull((canceledAt ?? endedAt) ? null : nextPayment(subscription, context)),
    canceled_at: dateTimeOrNull(canceledAt ?? endedAt),
  })
}

/** Whether the number begins anew after a payment is UNVERIFIED: it is the harder case that it does not. */
const failedPayments = ({ id }: SubscriptionRecord, context: AccountContext) =>
  newestOf(context, 'invoices', { subscription: id }).reduce(
    (sum, { attempts, status }) => sum + attempts - (status === 'paid' ? 1 : 0),
    0,
  )

function nextPayment(subscription: SubscriptionRecord, context: AccountContext): number {
  const { status, reason, periodStart } = latestInvoice(context, subscription)
  if (status === 'paid') return subscription.periodEnd
  return reason === 'create' ? periodStart + FIRST_PAYMENT_SECONDS : periodStart
}
