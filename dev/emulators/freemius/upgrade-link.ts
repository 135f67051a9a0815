import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import { listSellers } from './accounts.ts'
import { badRequest } from './errors.ts'
import { authorize, BillingCycle } from './link.ts'
import { findSubscription } from './objects/license.ts'
import { planObject } from './objects/product.ts'
import { billingCycle, Currency, dateTime, parsePrice, toCurrency } from './objects/wire.ts'

/** The body of `licenses/generate-upgrade-link` in the SDK's OpenAPI document; `currency` is in Freemius' changelog only. */
export const LinkRequest = z.object({
  plan_id: z.coerce.string().optional(),
  billing_cycle: BillingCycle.optional(),
  quota: z.union([z.number(), z.literal('unlimited')]).optional(),
  currency: Currency.optional(),
  is_payment_method_update: z.boolean().default(false),
})

/**
 * A link to update a licence: "The link will be valid for 24 hours". By default it is for the licence's plan. It names no pricing and has no
 * sandbox token, since neither is documented. Only subscriptions are emulated.
 */
export function createUpgradeLink(
  context: AccountContext,
  license: PageRecord,
  { is_payment_method_update: isPaymentMethod, ...wanted }: z.output<typeof LinkRequest>,
) {
  const [{ secretKey } = { secretKey: '' }] = listSellers(context)
  const subscription = findSubscription(license, context)
  if (!subscription) throw badRequest(`License ${license.id} has no subscription.`)
  const { price } = subscription
  const given = isPaymentMethod ? {} : wanted
  const until = context.now + DAY_SECONDS
  const settings = {
    plugin_id: license.account,
    license_id: license.id,
    plan_id: given.plan_id === undefined ? parsePrice(price).plan_id : planObject(context, given.plan_id).id,
    billing_cycle: given.billing_cycle ?? (billingCycle(price) === 1 ? 'monthly' : 'annual'),
    currency: given.currency ?? toCurrency(price.currency),
    ...(given.quota !== undefined && { licenses: String(given.quota) }),
    ...(isPaymentMethod && { is_payment_method_update: 'true' }),
    authorization: authorize(secretKey, license.id, until),
  }
  const url = `${context.url}/product/${license.account}/?${new URLSearchParams(settings)}`
  return { url, settings, expires: dateTime(until) }
}
