import * as z from 'zod'
import { TERMS } from '../core/controls/terms.ts'
import { type AccountContext, lookUp } from '../core/domain/context.ts'
import { openPage } from '../core/domain/pages.ts'
import { findSold } from '../core/domain/prices.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { HOUR_SECONDS } from '../core/periods.ts'
import { email, integer, text, webAddress } from '../core/wire/form-fields.ts'
import { create, type Route, read, retrieve } from '../core/wire/routes.ts'
import { applyCoupon } from './coupons.ts'
import { chargebeeError, wrongValue } from './errors.ts'
import { itemPriceObject } from './objects/selling.ts'

export const redirectUrl = webAddress.max(250, 'too long')

/**
 * From "Supported locales" in Chargebee's documents. Which error another value gets is not documented; UNVERIFIED that it is this one.
 * A language has to be enabled; what one that is not gets is not documented, and not emulated.
 */
const LOCALES = [
  ...['de', 'de-AT', 'de-CH', 'de-DE', 'de-GR', 'de-LU'],
  ...['en', 'en-AU', 'en-CA', 'en-GB', 'en-IE', 'en-IN', 'en-MT', 'en-NZ', 'en-PH', 'en-SG', 'en-US', 'en-ZA'],
  ...[
    'es',
    'es-AR',
    'es-BO',
    'es-CL',
    'es-CO',
    'es-CR',
    'es-CU',
    'es-DO',
    'es-EC',
    'es-GT',
    'es-HN',
    'es-MX',
    'es-NI',
    'es-SV',
  ],
  ...['fr', 'fr-BE', 'fr-CA', 'fr-CH', 'fr-FR', 'fr-LU', 'it', 'it-CH', 'it-IT', 'pt', 'pt-BR', 'pt-PT'],
]

/** `locale`: "Determines which region-specific language Chargebee uses to communicate with the customer", its hosted pages included. */
const Customer = z.strictObject({
  id: text(50).optional(),
  email: email.max(70, 'too long').optional(),
  locale: z.enum(LOCALES).optional(),
})

const common = {
  layout: z.enum(['in_app', 'full_page']).optional(),
  redirect_url: redirectUrl.optional(),
  cancel_url: redirectUrl.optional(),
  pass_thru_content: text(2048).optional(),
  /** Several coupons are not supported. */
  coupon_ids: z.tuple([text(100)]).optional(),
  customer: Customer.default({}),
}

/** `item_price_id[0]` and `quantity[0]` in a form: the emulator supports one item price at a time. */
export const Item = z.strictObject({
  item_price_id: z.tuple([text(100)]),
  quantity: z.tuple([integer(1)]).default([1]),
})

const NewParameters = z.strictObject({
  ...common,
  subscription: z.strictObject({ id: text(50).optional(), trial_end: integer(0).default(0) }).prefault({}),
  subscription_items: Item,
})

const OneTimeParameters = z.strictObject({
  ...common,
  currency_code: text(3).optional(),
  invoice: z.strictObject({ po_number: text(100).optional() }).default({}),
  item_prices: Item,
})

/** The common fields of pages. An unknown customer is created, with another id, when the page is paid. */
function toPage(
  context: AccountContext,
  given: z.output<z.ZodObject<typeof common>>,
  { item_price_id: [id], quantity: [quantity] }: z.output<typeof Item>,
  param: string,
) {
  const customer = lookUp(context, 'customers', given.customer.id ?? '')
  const sold = findSold(context, id, { param })
  const coupon = given.coupon_ids?.[0]
  return {
    ...sold,
    terms: applyCoupon(context, TERMS.read(context), coupon, sold.price),
    coupon: coupon ?? null,
    quantity,
    customer: customer?.id ?? null,
    email: customer?.email ?? given.customer.email ?? null,
    // "The URL expires 3 hours after the page is created."
    expiresAt: context.now + 3 * HOUR_SECONDS,
    successUrl: given.redirect_url ?? context.url,
    cancelUrl: given.cancel_url ?? null,
    own: { passThru: given.pass_thru_content ?? null },
    gives: { customer: { locale: given.customer.locale ?? null } },
  }
}

/** Opens a page that sells a subscription. The first item price must be a plan's. */
function checkoutNew(context: AccountContext, given: z.output<typeof NewParameters>) {
  const { id: chosenId, trial_end: trialEnd } = given.subscription
  const param = 'subscription_items[item_price_id][0]'
  const page = toPage(context, given, given.subscription_items, param)
  if (!page.price.interval) throw wrongValue(param, 'not a plan item price')
  refuseTaken(context, chosenId)
  if (trialEnd > 0 && trialEnd <= context.now) throw wrongValue('subscription[trial_end]', 'must be in the future')
  return openPage(context, { ...page, chosenId, trialEnd: trialEnd || undefined })
}

/** Opens a page that sells a one-time charge. */
function checkoutOneTime(context: AccountContext, given: z.output<typeof OneTimeParameters>) {
  const param = 'item_prices[item_price_id][0]'
  const page = toPage(context, given, given.item_prices, param)
  const { currency, interval } = page.price
  if (interval) throw wrongValue(param, 'not a charge item price')
  const code = given.currency_code ?? currency
  if (code !== currency) throw wrongValue('currency_code', `the item price is in ${currency}`)
  const gives = { ...page.gives, payment: { poNumber: given.invoice.po_number ?? null } }
  return openPage(context, { ...page, gives })
}

/** Refuses a subscription id chosen by the seller if it exists. `status` is 409 on a page. */
export function refuseTaken({ records }: AccountContext, id: string | undefined, status = 400): void {
  if (id === undefined || !records.subscriptions.has(id)) return
  throw chargebeeError(status, 'duplicate_entry', `The value ${id} is already present.`, 'subscription[id]')
}

const PortalParameters = z.strictObject({
  customer: z.strictObject({ id: text(50) }),
  redirect_url: redirectUrl.optional(),
})

/** Chargebee's error if the portal is disabled is UNVERIFIED. */
const switchedOff = () => chargebeeError(400, 'configuration_incompatible', 'The customer portal is not enabled.')

export const CHECKOUT_ROUTES: Route[] = [
  create('/hosted_pages/checkout_new_for_items', NewParameters, 'pages', checkoutNew),
  create('/hosted_pages/checkout_one_time_for_items', OneTimeParameters, 'pages', checkoutOneTime),
  retrieve('/hosted_pages/:id', 'pages'),
  create('/portal_sessions', PortalParameters, 'portalSessions', (context, { customer: { id }, redirect_url }) => {
    const given = { customer: id, returnUrl: redirect_url ?? null }
    return openPortal(context, given, { param: 'customer[id]', switchedOff })
  }),
  read('/item_prices/:id', (context, id) => itemPriceObject(findSold(context, id).price)),
]
