import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import { closePage, openPage } from '../core/domain/pages.ts'
import { findSold } from '../core/domain/prices.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../core/periods.ts'
import { boolean, emailField, integer, text, webAddress } from '../core/wire/form-fields.ts'
import { optional } from '../core/wire/json-fields.ts'
import { hasDomain } from '../core/wire/mail-domains.ts'
import { act, create, Nothing, type Route, read, retrieve } from '../core/wire/routes.ts'
import { rejectSecondCurrency, rejectUnsupportedCharge } from './currencies.ts'
import { refused } from './errors.ts'
import { priceObject } from './objects/selling.ts'
import { ADAPTIVE_PRICING, metadata } from './own.ts'
import { pageAsks, pageParameters, pageTerms, refuseOptions, trialSettings } from './page-options.ts'

const CheckoutSessionParameters = z.strictObject({
  mode: z.enum(['payment', 'subscription']),
  line_items: z.tuple([z.strictObject({ price: text(), quantity: integer(1, 999_999).default(1) })]),
  success_url: webAddress,
  cancel_url: optional(webAddress),
  customer: optional(text()),
  // Stripe refuses domains that do not exist: "Invalid email address: …" (github.com/mysociety/alaveteli/pull/8591, about
  // `@localhost`). Its documentation uses example.com.
  customer_email: optional(emailField(hasDomain)),
  customer_creation: optional(z.enum(['always', 'if_required'])),
  client_reference_id: optional(text(200)),
  adaptive_pricing: optional(z.strictObject({ enabled: boolean.optional() })),
  ...pageParameters,
  metadata,
  subscription_data: optional(
    z.strictObject({ trial_period_days: optional(integer(1, 730)), trial_settings: trialSettings, metadata }),
  ),
  payment_intent_data: optional(z.strictObject({ metadata })),
  expires_at: optional(integer(0)),
})

type Parameters = z.output<typeof CheckoutSessionParameters>

/** Opens a checkout session with one line item. Throws Stripe's error for contradicting parameters and unknown objects. */
function createCheckoutSession(context: AccountContext, given: Parameters): PageRecord {
  refuseContradictions(given)
  refuseOptions(context, given)
  const { mode, customer, customer_email, client_reference_id } = given
  const item = toItem(context, given)
  const payer = customer === null ? null : find(context, 'customers', customer, 'customer')
  rejectSecondCurrency(context, { mode, price: item.price, customer })
  return openPage(context, {
    mode,
    ...item,
    customer,
    email: payer ? payer.email : customer_email,
    expiresAt: expiry(context, given.expires_at),
    successUrl: given.success_url,
    cancelUrl: given.cancel_url,
    makesCustomer: given.customer_creation === 'always',
    trialDays: given.subscription_data?.trial_period_days ?? null,
    terms: pageTerms(context, given, item.price),
    coupon: given.discounts?.[0].coupon ?? null,
    asks: pageAsks(given),
    own: {
      metadata: given.metadata,
      client_reference_id,
      customer_email,
      adaptive_pricing: { enabled: given.adaptive_pricing?.enabled ?? ADAPTIVE_PRICING.read(context) },
      automatic_tax: given.automatic_tax ?? { enabled: false },
      consent_collection: given.consent_collection,
      invoice_creation: given.invoice_creation,
      locale: given.locale,
    },
    gives: {
      subscription: {
        metadata: given.subscription_data?.metadata ?? {},
        ...given.subscription_data?.trial_settings?.end_behavior,
      },
      payment: { metadata: given.payment_intent_data?.metadata ?? {} },
    },
  })
}

function refuseContradictions(given: Parameters): void {
  const { mode, customer, customer_email, customer_creation } = given
  const param = mode === 'payment' ? 'subscription_data' : 'payment_intent_data'
  if (given[param]) throw refused('wrong_mode', { param, mode })
  if (customer_creation && mode !== 'payment') throw refused('creation_in_subscription')
  if (customer && customer_email) throw refused('customer_twice')
}

function toItem(
  context: AccountContext,
  { mode, line_items: [item], metadata: { paywall_id: paywallId } }: Parameters,
) {
  const param = 'line_items[0][price]'
  const { price, seller } = findSold(context, item.price, { param, paywallId })
  rejectUnsupportedCharge(price.amount, price.currency, param)
  if (mode === 'payment' && price.interval) throw refused('recurring_price_in_payment', { param })
  if (mode === 'subscription' && !price.interval) throw refused('no_recurring_price', { param })
  return { price, seller, quantity: item.quantity }
}

/** "Anywhere from 30 minutes to 24 hours", and 24 hours by default (docs.stripe.com/api/checkout/sessions/create). */
function expiry({ now }: AccountContext, given: number | null): number {
  const at = given ?? now + DAY_SECONDS
  if (at > now + DAY_SECONDS) throw refused('expires_too_late')
  if (at < now + HOUR_SECONDS / 2) throw refused('expires_too_early')
  return at
}

function expireSession(context: AccountContext, page: PageRecord): PageRecord {
  if (page.status !== 'open') throw refused('session_not_open', { status: page.status })
  return closePage(context, page)
}

const PortalParameters = z.strictObject({ customer: text(), return_url: optional(webAddress) })

/** Stripe refuses portals until their settings are saved in the dashboard. */
const switchedOff = () => refused('portal_not_configured')

export const SESSION_ROUTES: Route[] = [
  create('/v1/checkout/sessions', CheckoutSessionParameters, 'pages', createCheckoutSession),
  retrieve('/v1/checkout/sessions/:id', 'pages'),
  act('POST', '/v1/checkout/sessions/:id/expire', Nothing, 'pages', expireSession),
  create('/v1/billing_portal/sessions', PortalParameters, 'portalSessions', (context, given) =>
    openPortal(context, { ...given, returnUrl: given.return_url }, { param: 'customer', switchedOff }),
  ),
  read('/v1/prices/:id', (context, id) => priceObject(findSold(context, id).price)),
]
