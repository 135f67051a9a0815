import type Stripe from 'stripe'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { subscriptionOwn } from '../own.ts'
import { planObject, priceObject } from './price.ts'
import { listOf, type Wire } from './wire.ts'

const SUBSCRIPTION_NULLS = nulls(
  'application application_fee_percent billing_cycle_anchor_config billing_thresholds customer_account',
  'days_until_due default_payment_method default_source description managed_payments',
  'next_pending_invoice_item_invoice on_behalf_of pause_collection pending_invoice_item_interval',
  'pending_setup_intent pending_update schedule test_clock transfer_data',
)

export function subscriptionObject(subscription: SubscriptionRecord): Wire<Stripe.Subscription> {
  const { status } = subscription
  const { metadata, cancelComment, cancelFeedback } = subscriptionOwn(subscription)
  return {
    ...SUBSCRIPTION_NULLS,
    id: subscription.id,
    object: 'subscription',
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: subscription.anchor,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    cancel_at: subscription.cancelAt,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    canceled_at: subscription.canceledAt,
    cancellation_details: {
      comment: cancelComment,
      feedback: cancelFeedback,
      feedback_option: null,
      reason: subscription.cancelReason,
    },
    collection_method: 'charge_automatically',
    created: subscription.created,
    currency: subscription.price.currency,
    customer: subscription.customer,
    default_tax_rates: [],
    discounts: [],
    ended_at: subscription.endedAt,
    invoice_settings: { ...nulls('account_tax_ids custom_fields description footer'), issuer: { type: 'self' } },
    items: listOf(`/v1/subscription_items?subscription=${subscription.id}`, [itemObject(subscription)]),
    latest_invoice: subscription.latestInvoice,
    livemode: false,
    metadata,
    payment_settings: {
      ...nulls('payment_method_options payment_method_types'),
      save_default_payment_method: 'off',
    },
    start_date: subscription.created,
    status: status === 'suspended' || status === 'completed' ? 'canceled' : status,
    trial_end: subscription.trialEnd,
    trial_settings: { end_behavior: { billing_cycle_anchor: 'phase_start', missing_payment_method: 'create_invoice' } },
    trial_start: subscription.trialEnd === null ? null : subscription.created,
  }
}

function itemObject(subscription: SubscriptionRecord): Wire<Stripe.SubscriptionItem> {
  return {
    ...nulls('billing_thresholds current_trial'),
    id: `si_${subscription.id.slice(4)}`,
    object: 'subscription_item',
    created: subscription.created,
    current_period_end: subscription.periodEnd,
    current_period_start: subscription.periodStart,
    discounts: [],
    metadata: {},
    plan: planObject(subscription.price),
    price: priceObject(subscription.price),
    quantity: subscription.quantity,
    subscription: subscription.id,
    tax_rates: [],
  }
}
