import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, all } from '../../core/domain/context.ts'
import { amountToday } from '../../core/domain/pages.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { pageOwn } from '../own.ts'
import { timeOrNull, timeText } from '../rules.ts'
import { priceIdOf, priceObject, productFields, since } from './goods.ts'

const DAY_SECONDS = 24 * 3600

export function checkoutObject(page: PageRecord, context: AccountContext): models.Checkout {
  const { price, trialDays } = page
  const { metadata, externalCustomerId, allowTrial } = pageOwn(page)
  const { amount, currency } = price
  const secret = `polar_c_${page.id}`
  const prices = [priceObject(price)]
  const product = { ...productFields(context, price), prices, benefits: [], medias: [] }
  const [trial_interval, trial_interval_count] = trialDays === null ? [null, null] : (['day', trialDays] as const)
  return {
    ...nulls('embed_origin seats min_seats max_seats units min_units max_units discount_id discount tax_behavior'),
    ...nulls('customer_name customer_ip_address customer_billing_name customer_billing_address customer_tax_id'),
    ...nulls('locale payment_method_type subscription_id attached_custom_fields'),
    ...since(page.created),
    ...{ id: page.id, organization_id: page.account, status: checkoutStatus(page, context), metadata },
    ...{ client_secret: secret, url: `${context.url}/checkout/${secret}`, expires_at: timeText(page.expiresAt) },
    ...{ success_url: page.successUrl, return_url: page.cancelUrl, payment_processor: 'stripe' },
    ...{ amount, discount_amount: 0, net_amount: amount, tax_amount: 0, total_amount: amount, currency },
    ...{ allow_trial: allowTrial, trial_interval, trial_interval_count },
    ...{ active_trial_interval: trial_interval, active_trial_interval_count: trial_interval_count },
    trial_end: timeOrNull(trialDays === null ? null : page.created + trialDays * DAY_SECONDS),
    ...{ product_id: price.id, product_price_id: priceIdOf(price), products: [product], product },
    ...{ product_price: priceObject(price), prices: { [price.id]: prices } },
    ...{ allow_discount_codes: true, require_billing_address: false, is_discount_applicable: true },
    ...{ is_free_product_price: amount === 0, is_payment_required: amountToday(page) > 0 },
    ...{ is_payment_setup_required: price.interval !== null, is_payment_form_required: amount > 0 },
    ...{ customer_id: page.customer, external_customer_id: externalCustomerId, customer_metadata: {} },
    ...{ customer_email: page.payerEmail ?? page.email, is_business_customer: false, payment_processor_metadata: {} },
    billing_address_fields: {
      ...{ country: 'required', state: 'disabled', city: 'disabled' },
      ...{ postal_code: 'disabled', line1: 'disabled', line2: 'disabled' },
    },
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
