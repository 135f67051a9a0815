import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import { findPage, openPage } from '../core/domain/pages.ts'
import { findSold } from '../core/domain/prices.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { email, integer, text } from '../core/wire/form-fields.ts'
import { Nothing, type Route, route } from '../core/wire/routes.ts'
import { chargebeeError, wrongValue } from './errors.ts'
import { hostedPageObject, itemPriceObject, portalObject } from './objects/hosted-page.ts'
import { shown } from './objects/wire.ts'

const DAY_SECONDS = 24 * 3600

/** "The URL expires 3 hours after the page is created." */
const PAGE_SECONDS = 3 * 3600

/** A list with one element, as `name[0]` in a form. */
const one = <Element extends z.ZodType>(element: Element) =>
  z.array(element).length(1, 'the emulator sells one item price at a time')

/** An address that the browser is sent to. */
const redirectUrl = text(250).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'invalid URL')

const common = {
  layout: z.enum(['in_app', 'full_page']).optional(),
  redirect_url: redirectUrl.optional(),
  cancel_url: redirectUrl.optional(),
  pass_thru_content: text(2048).optional(),
  customer: z.strictObject({ id: text(50).optional(), email: email.max(70, 'too long').optional() }).optional(),
}
const Item = z.strictObject({ item_price_id: one(text(100)), quantity: one(integer(1)).optional() })

const NewParameters = z.strictObject({
  ...common,
  subscription: z.strictObject({ id: text(50).optional(), trial_end: integer(0).optional() }).optional(),
  subscription_items: Item,
})

const OneTimeParameters = z.strictObject({
  ...common,
  currency_code: text(3).optional(),
  invoice: z.strictObject({ po_number: text(100).optional() }).optional(),
  item_prices: Item,
})

/** Opens a page that sells a subscription: the first item price has to be a plan's. */
function checkoutNew(context: AccountContext, given: z.output<typeof NewParameters>): PageRecord {
  const { id, trial_end: trialEnd = 0 } = given.subscription ?? {}
  const param = 'subscription_items[item_price_id][0]'
  const sold = itemOf(context, given.subscription_items, param)
  if (!sold.price.interval) throw wrongValue(param, 'not a plan item price')
  refuseTaken(context, id)
  if (trialEnd > 0 && trialEnd <= context.now) throw wrongValue('subscription[trial_end]', 'must be in the future')
  const trialDays = trialEnd > 0 ? Math.ceil((trialEnd - context.now) / DAY_SECONDS) : null
  return open(context, given, {
    ...{ mode: 'subscription', ...sold, trialDays, ...(trialEnd > 0 && { trialEnd }) },
    chosenIds: { ...(id !== undefined && { subscription: id }) },
  })
}

/** Opens a page that sells a charge once. */
function checkoutOneTime(context: AccountContext, given: z.output<typeof OneTimeParameters>): PageRecord {
  const param = 'item_prices[item_price_id][0]'
  const sold = itemOf(context, given.item_prices, param)
  const { currency, interval } = sold.price
  if (interval) throw wrongValue(param, 'not a charge item price')
  if ((given.currency_code ?? currency) !== currency)
    throw wrongValue('currency_code', `the item price is in ${currency}`)
  const payment = { poNumber: given.invoice?.po_number ?? null }
  const gives = { customer: {}, subscription: {}, payment }
  return open(context, given, { mode: 'payment', ...sold, trialDays: null, gives })
}

type Common = z.output<z.ZodObject<typeof common>>
type Sold = Pick<PageRecord, 'mode' | 'price' | 'quantity' | 'seller' | 'trialDays'> & Partial<PageRecord>

/** A customer that the site does not have is made when the page is paid, with an id of Chargebee's own. */
function open(context: AccountContext, given: Common, sold: Sold): PageRecord {
  const known = context.records.customers.get(given.customer?.id ?? '')
  const customer = known?.account === context.account.id ? known : null
  return openPage(context, {
    ...sold,
    customer: customer?.id ?? null,
    email: customer?.email ?? given.customer?.email ?? null,
    expiresAt: context.now + PAGE_SECONDS,
    successUrl: given.redirect_url ?? context.url,
    cancelUrl: given.cancel_url ?? null,
    makesCustomer: true,
    own: { passThru: given.pass_thru_content ?? null },
  })
}

function itemOf(context: AccountContext, item: z.output<typeof Item>, param: string) {
  const [id = ''] = item.item_price_id
  return { ...findSold(context, id, { param }), quantity: item.quantity?.[0] ?? 1 }
}

/** Refuses an id that a seller has chosen for a subscription, if there is one with it: on a page with 409. */
export function refuseTaken({ records }: AccountContext, id: string | undefined, status = 400): void {
  if (id === undefined || !records.subscriptions.has(id)) return
  throw chargebeeError(status, 'duplicate_entry', `The value ${id} is already present.`, 'subscription[id]')
}

const PortalParameters = z.strictObject({
  customer: z.strictObject({ id: text(50) }),
  redirect_url: redirectUrl.optional(),
})

/** Opens the portal. What Chargebee answers where it is switched off is UNVERIFIED. */
const createPortalSession = (context: AccountContext, given: z.output<typeof PortalParameters>) =>
  openPortal(
    context,
    { customer: given.customer.id, returnUrl: given.redirect_url ?? null },
    {
      param: 'customer[id]',
      switchedOff: () => chargebeeError(400, 'configuration_incompatible', 'The customer portal is not enabled.'),
    },
  )

export const CHECKOUT_ROUTES: Route[] = [
  route('POST', '/hosted_pages/checkout_new_for_items', NewParameters, checkoutNew, shown(hostedPageObject)),
  route(
    'POST',
    '/hosted_pages/checkout_one_time_for_items',
    OneTimeParameters,
    checkoutOneTime,
    shown(hostedPageObject),
  ),
  route('GET', '/hosted_pages/:id', Nothing, (context, _, [id]) => findPage(context, id), shown(hostedPageObject)),
  route('POST', '/portal_sessions', PortalParameters, createPortalSession, shown(portalObject)),
  route('GET', '/item_prices/:id', Nothing, (context, _, [id]) => findSold(context, id).price, shown(itemPriceObject)),
]
