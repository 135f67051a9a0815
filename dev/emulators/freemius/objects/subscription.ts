import type { SubscriptionEntity } from '@freemius/sdk'
import { type AccountContext, all } from '../../core/domain/context.ts'
import { latestInvoice } from '../../core/domain/invoices.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { licenseOwn, subscriptionOwn } from '../own.ts'
import { licenseOf } from './license.ts'
import { billingCycle, currencyOf, dateTime, dateTimeOrNull, decimal, type Full, idsOf } from './wire.ts'

/** The first payment that has not arrived is charged again within this many seconds. */
const FIRST_PAYMENT_SECONDS = 12 * 3600

export function subscriptionObject(subscription: SubscriptionRecord, context: AccountContext) {
  const { id, created, account, customer, price, trialEnd, canceledAt, endedAt } = subscription
  const license = licenseOf(subscription, context)
  const amount = decimal(price.amount)
  const invoices = all(context, 'invoices').filter((invoice) => invoice.subscription === id)
  const paid = invoices.filter(({ status }) => status === 'paid')
  const owes = latestInvoice(context, subscription).status !== 'paid'
  const object: Omit<Full<SubscriptionEntity>, 'renewals_discount' | 'renewals_discount_type'> = {
    ...{ id, created: dateTime(created), updated: null, plugin_id: account, user_id: customer },
    license_id: subscriptionOwn(subscription).license,
    ...idsOf(price),
    ...{ install_id: null, ip: '127.0.0.1', country_code: 'us', zip_postal_code: null, vat_id: null },
    ...{ coupon_id: null, user_card_id: '1', source: 0, external_id: `sub_${id}`, gateway: 'stripe' },
    environment: licenseOwn(license).environment,
    currency: currencyOf(price.currency),
    tax_rate: 0,
    total_gross: decimal(paid.reduce((sum, invoice) => sum + invoice.amount, 0)),
    ...{ amount_per_cycle: amount, initial_amount: amount, renewal_amount: amount },
    billing_cycle: billingCycle(price.interval) as 1 | 12,
    outstanding_balance: owes ? amount : 0,
    failed_payments: failedPayments(subscription, context),
    trial_ends: dateTimeOrNull(trialEnd),
    next_payment: dateTimeOrNull((canceledAt ?? endedAt) ? null : nextPayment(subscription, context)),
    canceled_at: dateTimeOrNull(canceledAt ?? endedAt),
  }
  return object
}

/** Whether the number begins anew after a payment is UNVERIFIED: it is the harder case that it does not. */
export const failedPayments = ({ id }: SubscriptionRecord, context: AccountContext) =>
  all(context, 'invoices')
    .filter(({ subscription }) => subscription === id)
    .reduce((sum, { attempts, status }) => sum + attempts - (status === 'paid' ? 1 : 0), 0)

function nextPayment(subscription: SubscriptionRecord, context: AccountContext): number {
  const { status, reason, periodStart } = latestInvoice(context, subscription)
  if (status === 'paid') return subscription.periodEnd
  return reason === 'create' ? periodStart + FIRST_PAYMENT_SECONDS : periodStart
}
