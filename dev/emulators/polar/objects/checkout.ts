import { type AccountContext, all } from '../../core/domain/context.ts'
import { amountToday } from '../../core/domain/pages.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { pageOwn } from '../own.ts'
import { priceIdOf, priceObject, productFields } from './product.ts'
import { complete, since, timeOrNull, timeText } from './wire.ts'

const DAY_SECONDS = 24 * 3600

export function checkoutObject(page: PageRecord, context: AccountContext) {
  const { price, trialDays, created } = page
  const { amount, currency } = price
  const secret = `polar_c_${page.id}`
  const prices = [priceObject(price)]
  const product = { ...productFields(context, price), prices, benefits: [], medias: [] }
  const [trial_interval, trial_interval_count] = trialDays === null ? [null, null] : (['day', trialDays] as const)
  return complete('checkout', {
    ...{ ...since(created), id: page.id, organization_id: page.account, status: checkoutStatus(page, context) },
    ...{ client_secret: secret, url: `${context.url}/checkout/${secret}`, expires_at: timeText(page.expiresAt) },
    ...{ success_url: page.successUrl, return_url: page.cancelUrl, ...pageOwn(page) },
    ...{ amount, net_amount: amount, total_amount: amount, currency, trial_interval, trial_interval_count },
    ...{ active_trial_interval: trial_interval, active_trial_interval_count: trial_interval_count },
    trial_end: timeOrNull(trialDays === null ? null : created + trialDays * DAY_SECONDS),
    ...{ product_id: price.id, product_price_id: priceIdOf(price), products: [product], product },
    ...{ product_price: priceObject(price), prices: { [price.id]: prices } },
    ...{ is_free_product_price: amount === 0, is_payment_required: amountToday(page) > 0 },
    ...{ is_payment_setup_required: price.interval !== null, is_payment_form_required: amount > 0 },
    ...{ customer_id: page.customer, customer_email: page.payerEmail ?? page.email },
  })
}

/** A checkout is `confirmed` while its money is on its way. */
function checkoutStatus({ status, unpaid, payment, subscription }: PageRecord, context: AccountContext) {
  if (status !== 'complete' || !unpaid) return status === 'complete' ? 'succeeded' : status
  const isLost =
    all(context, 'payments').some(({ id, status }) => id === payment && status === 'failed') ||
    all(context, 'subscriptions').some(({ id, status }) => id === subscription && status === 'incomplete_expired')
  return isLost ? 'failed' : 'confirmed'
}
