import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import { customerAt } from '../core/domain/customers.ts'
import { openPage } from '../core/domain/pages.ts'
import { findPrice } from '../core/domain/prices.ts'
import type { PageRecord, SoldPrice } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { byExternalId } from './customers.ts'
import { forbidden, invalid } from './errors.ts'
import { Metadata, MULTIPLE_SUBSCRIPTIONS, pageOwn } from './own.ts'
import { uuid } from './parameters.ts'
import { CHECKOUT_SECONDS } from './rules.ts'

/** The currency of a checkout that names none. It is a setting of the organisation at Polar. */
const DEFAULT_CURRENCY = 'usd'

const UNIT_DAYS = { day: 1, week: 7, month: 30, year: 365 }

export const CheckoutBody = z.strictObject({
  products: z.array(uuid).length(1, 'the emulator sells exactly one product'),
  currency: optional(z.string().regex(/^[a-z]{3}$/)),
  success_url: optional(webAddress),
  return_url: optional(webAddress),
  customer_id: optional(uuid),
  external_customer_id: optional(z.string()),
  customer_email: optional(z.email('value is not a valid email address')),
  metadata: Metadata.default({}),
  allow_trial: z.boolean().default(true),
  trial_interval: optional(z.enum(['day', 'week', 'month', 'year'])),
  trial_interval_count: optional(z.int().min(1).max(1000)),
})

type Body = z.output<typeof CheckoutBody>

export function createCheckout(context: AccountContext, body: Body): PageRecord {
  const { price, seller } = soldBy(context, body)
  const customer = customerFor(context, body)
  const { metadata, external_customer_id, allow_trial } = body
  const page = openPage(context, {
    price,
    expiresAt: context.now + CHECKOUT_SECONDS,
    seller,
    trialDays: trialOf(body, price),
    successUrl: body.success_url ?? `${context.url}/checkout/confirmation`,
    cancelUrl: body.return_url,
    email: body.customer_email ?? customer?.email ?? null,
    customer: customer?.id ?? null,
    makesCustomer: true,
    own: { metadata, external_customer_id, allow_trial },
  })
  // Whatever is bought on the page has its metadata, and names it.
  const sold = { metadata, checkout_id: page.id }
  page.gives = { customer: { external_id: external_customer_id }, subscription: sold, payment: sold }
  return page
}

/** What is sold, and the name of the paywall that sells it. */
function soldBy({ account }: AccountContext, { products: [id = ''], currency: wanted, metadata }: Body) {
  const inCurrency = (currency: string) =>
    findPrice(account, (price) => price.id === id && price.currency === currency, metadata.paywall_id)
  const sold = inCurrency(wanted ?? DEFAULT_CURRENCY)
  if (sold) return sold
  const problem = findPrice(account, (price) => price.id === id)
    ? 'Product is not available in the specified currency.'
    : 'Product does not exist.'
  throw invalid(['body', 'products', 0], problem, id)
}

function customerFor(context: AccountContext, { customer_id: id, external_customer_id: externalId }: Body) {
  if (id !== null) return find(context, 'customers', id, 'customer_id')
  return (externalId !== null && byExternalId(context, externalId)) || null
}

/** A trial is days here, because the core counts them so. */
function trialOf({ allow_trial: allowed, trial_interval: unit, trial_interval_count: count }: Body, price: SoldPrice) {
  if ((unit === null) !== (count === null)) {
    const missing = unit === null ? 'trial_interval' : 'trial_interval_count'
    throw invalid(['body', missing], 'Both trial_interval and trial_interval_count must be set.', null)
  }
  if (!allowed || price.interval === null || unit === null || count === null) return null
  return UNIT_DAYS[unit] * count
}

/** Decides who pays a page, and refuses a second subscription of a customer, on any of the organisation's paywalls. */
export function admit(page: PageRecord, email: string, context: AccountContext): void {
  page.customer ??= payerOf(context, page, email)
  if (page.mode === 'payment' || MULTIPLE_SUBSCRIPTIONS.of(context)) return
  if (page.customer !== null && runningSubscriptions(context, page.customer).length > 0) {
    throw forbidden('NotPermitted', 'You already have an active subscription.')
  }
}

/**
 * Whoever has the address already, whatever external id that customer has: so a sale may end up with a customer of somebody
 * else's external id. Null: a new customer.
 */
function payerOf(context: AccountContext, page: PageRecord, email: string): string | null {
  const known = customerAt(context, email)
  if (known) return known.id
  const { external_customer_id: id } = pageOwn(page)
  if (id === null || !byExternalId(context, id)) return null
  // The page's external id has got a customer of another address since the page was opened.
  const problem = 'A customer with this external ID already exists but with a different email address.'
  throw invalid(['body', 'external_customer_id'], problem)
}
