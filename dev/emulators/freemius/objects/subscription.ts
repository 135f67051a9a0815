import { type AccountContext, newestOf } from '../../core/domain/context.ts'
import { latestInvoice } from '../../core/domain/invoices.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { licenseOwn, subscriptionOwn } from '../own.ts'
import { licenseOf } from './license.ts'
import { billingCycle, complete, currencyOf, dateTime, dateTimeOrNull, decimal, idsOf } from './wire.ts'

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
