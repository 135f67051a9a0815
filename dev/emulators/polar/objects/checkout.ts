import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, all } from '../../core/domain/context.ts'
import { amountToday } from '../../core/domain/pages.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { pageOwn } from '../own.ts'
import { CHECKOUT_SECONDS, timeOrNull, timeText } from '../rules.ts'
import { priceIdOf, priceObject, productFields } from './product.ts'

const DAY_SECONDS = 24 * 3600

export const secretOf = ({ id }: PageRecord) => `polar_c_${id}`

export function checkoutObject(page: PageRecord, context: AccountContext): models.Checkout {
  const { price, trialDays } = page
  const { metadata, externalCustomerId, allowTrial } = pageOwn(page)
  const [amount, today] = [price.amount, amountToday(page)]
  const product = { ...productFields(context, price), prices: [priceObject(price)], benefits: [], medias: [] }
  return {
    ...nulls('modified_at embed_origin seats min_seats max_seats units min_units max_units discount_id discount'),
    ...nulls('customer_name customer_ip_address customer_billing_name customer_billing_address customer_tax_id'),
    ...nulls('locale payment_method_type subscription_id attached_custom_fields tax_behavior'),
    id: page.id,
    created_at: timeText(page.created),
    payment_processor: 'stripe',
    status: checkoutStatus(page, context),
    client_secret: secretOf(page),
    url: `${context.url}/checkout/${secretOf(page)}`,
    expires_at: timeText(page.created + CHECKOUT_SECONDS),
    success_url: page.successUrl,
    return_url: page.cancelUrl,
    amount,
    discount_amount: 0,
    net_amount: amount,
    tax_amount: 0,
    total_amount: amount,
    currency: price.currency,
    allow_trial: allowTrial,
    active_trial_interval: trialDays === null ? null : 'day',
    active_trial_interval_count: trialDays,
    trial_end: timeOrNull(trialDays === null ? null : page.created + trialDays * DAY_SECONDS),
    organization_id: page.account,
    product_id: price.id,
    product_price_id: priceIdOf(price),
    allow_discount_codes: true,
    require_billing_address: false,
    is_discount_applicable: true,
    is_free_product_price: amount === 0,
    is_payment_required: today > 0,
    is_payment_setup_required: price.interval !== null,
    is_payment_form_required: amount > 0,
    customer_id: page.customer,
    is_business_customer: false,
    customer_email: page.payerEmail ?? page.email,
    payment_processor_metadata: {},
    billing_address_fields: {
      ...{ country: 'required', state: 'disabled', city: 'disabled' },
      ...{ postal_code: 'disabled', line1: 'disabled', line2: 'disabled' },
    },
    trial_interval: trialDays === null ? null : 'day',
    trial_interval_count: trialDays,
    metadata,
    external_customer_id: externalCustomerId,
    products: [product],
    product,
    product_price: priceObject(price),
    prices: { [price.id]: [priceObject(price)] },
    customer_metadata: {},
  }
}

/** A checkout is `confirmed` while its money is on its way. */
function checkoutStatus({ status, unpaid, payment, subscription }: PageRecord, context: AccountContext) {
  if (status !== 'complete' || !unpaid) return status === 'complete' ? 'succeeded' : status
  const isLost =
    all(context, 'payments').some(({ id, status }) => id === payment && status === 'failed') ||
    all(context, 'subscriptions').some(({ id, status }) => id === subscription && status === 'incomplete_expired')
  return isLost ? 'failed' : 'confirmed'
}
