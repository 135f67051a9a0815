import * as z from 'zod'
import { TERMS } from '../core/controls/terms.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { customerAt } from '../core/domain/customers.ts'
import { ASKS_NOTHING, openPage } from '../core/domain/pages.ts'
import { findPrice } from '../core/domain/prices.ts'
import type { PageRecord, SoldPrice } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { takesMail } from '../core/wire/mail-domains.ts'
import { byExternalId } from './customers.ts'
import { applyDiscount } from './discounts.ts'
import { forbidden, invalid } from './errors.ts'
import { Metadata, MULTIPLE_SUBSCRIPTIONS, pageOwn } from './own.ts'
import { uuid } from './parameters.ts'
import { CHECKOUT_SECONDS } from './rules.ts'

/** `EmailStrDNS` in server/polar/kit/email.py: Polar checks by DNS whether mail can be delivered. */
const Address = z.email('value is not a valid email address').refine(takesMail, {
  error: ({ input }) => `${input} is not a valid email address: ${undeliverable(String(input))}`,
})

const undeliverable = (address: string) =>
  `The domain name ${address.slice(address.lastIndexOf('@') + 1)} does not accept email.`

/** The language of the page. One that Polar has not translated is accepted, and the page is in English (server/polar/kit/locale.py). */
const Locale = z.string().regex(/^[a-zA-Z]{2,3}(-[a-zA-Z]{2}|-[0-9]{3})?$/, 'String should match pattern')

export const CheckoutBody = z.strictObject({
  products: z.array(uuid).length(1, 'the emulator sells exactly one product'),
  /** By default the organisation's currency. */
  currency: optional(z.string().regex(/^[a-z]{3}$/)).transform((currency) => currency ?? 'usd'),
  success_url: optional(webAddress),
  return_url: optional(webAddress),
  customer_id: optional(uuid),
  external_customer_id: optional(z.string()),
  customer_email: optional(Address),
  metadata: Metadata.default({}),
  allow_trial: z.boolean().default(true),
  allow_discount_codes: z.boolean().default(true),
  discount_id: optional(uuid),
  locale: optional(Locale),
  trial_interval: optional(z.literal('day', 'the emulator counts trials in days')),
  trial_interval_count: optional(z.int().min(1).max(1000)),
})

type Body = z.output<typeof CheckoutBody>

export function createCheckout(context: AccountContext, body: Body): PageRecord {
  const { metadata, external_customer_id, allow_trial, allow_discount_codes, locale } = body
  const { price, seller } = soldBy(context, body)
  const terms = applyDiscount(context, TERMS.read(context), body.discount_id, price)
  const customer = customerFor(context, body)
  const id = context.newId('pages')
  // Subscriptions and payments get the page's metadata and id.
  const bought = { metadata, checkout_id: id }
  return openPage(context, {
    id,
    price,
    seller,
    terms,
    coupon: body.discount_id,
    expiresAt: context.now + CHECKOUT_SECONDS,
    trialDays: checkoutTrial(body, price),
    successUrl: body.success_url ?? `${context.url}/checkout/confirmation`,
    cancelUrl: body.return_url,
    email: body.customer_email ?? customer?.email ?? null,
    customer: customer?.id ?? null,
    asks: { ...ASKS_NOTHING, promotionCode: allow_discount_codes },
    own: { metadata, external_customer_id, allow_trial, allow_discount_codes, locale },
    gives: { customer: { external_id: external_customer_id }, subscription: bought, payment: bought },
  })
}

/** The price, and the name of the paywall that sells it. */
function soldBy({ account }: AccountContext, { products: [id = ''], currency, metadata }: Body) {
  const sold = findPrice(account, (price) => price.id === id && price.currency === currency, metadata.paywall_id)
  if (sold) return sold
  const problem = findPrice(account, (price) => price.id === id)
    ? 'Product is not available in the specified currency.'
    : 'Product does not exist.'
  throw invalid(['body', 'products', 0], problem, id)
}

function customerFor(context: AccountContext, { customer_id: id, external_customer_id: externalId }: Body) {
  if (id !== null) return find(context, 'customers', id, 'customer_id')
  return byExternalId(context, externalId)
}

function checkoutTrial(
  { allow_trial: allowed, trial_interval: unit, trial_interval_count: days }: Body,
  price: SoldPrice,
) {
  if ((unit === null) !== (days === null)) {
    const missing = unit === null ? 'trial_interval' : 'trial_interval_count'
    throw invalid(['body', missing], 'Both trial_interval and trial_interval_count must be set.', null)
  }
  return allowed && price.interval !== null ? days : null
}

/** Determines the page's customer, and refuses a second subscription on any of the organisation's paywalls. */
export function admit(page: PageRecord, email: string, context: AccountContext): void {
  if (!takesMail(email)) throw invalid(['body', 'customer_email'], undeliverable(email), email)
  page.customer ??= findPayer(context, page, email)
  if (page.mode === 'payment' || MULTIPLE_SUBSCRIPTIONS.read(context)) return
  if (page.customer !== null && runningSubscriptions(context, page.customer).length > 0) {
    throw forbidden('NotPermitted', 'You already have an active subscription.')
  }
}

/**
 * The customer with the address, whatever its external id, so a sale may belong to a customer with another external id. Null: a new
 * customer.
 */
function findPayer(context: AccountContext, page: PageRecord, email: string): string | null {
  const known = customerAt(context, email)
  if (known) return known.id
  const { external_customer_id: id } = pageOwn(page)
  if (!byExternalId(context, id)) return null
  // A customer with the page's external id but another address was created after the page was opened.
  const problem = 'A customer with this external ID already exists but with a different email address.'
  throw invalid(['body', 'external_customer_id'], problem)
}
