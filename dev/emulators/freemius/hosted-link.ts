import { html } from 'hono/html'
import type { AccountContext } from '../core/domain/context.ts'
import { customerAt } from '../core/domain/customers.ts'
import { ASKS_NOTHING, amountToday, newPage } from '../core/domain/pages.ts'
import { OTHER_PRICES } from '../core/domain/plan-changes.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import { hostedCheckout } from '../core/pages/hosted-checkout.ts'
import { formatMoney } from '../core/pages/layout.ts'
import type { HostedPage, PageVisit } from '../core/pages/visits.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import type { HttpRequest } from '../core/server.ts'
import { listSellers } from './accounts.ts'
import { couponTerms } from './coupons.ts'
import { freemiusError } from './errors.ts'
import { hostedUpgrade } from './hosted-upgrade.ts'
import { type Link, readLink, signedReturn } from './link.ts'
import { findSubscription, licenseObject } from './objects/license.ts'
import { billingCycle, dateTime, decimal } from './objects/wire.ts'

const HINT = html`“Pay” succeeds at once. PayPal payments may be pending first: the local world's home has a button to complete
          them. “Decline the card” makes the bank refuse the payment.`

export const money = (cents: number, currency: string) => formatMoney(cents, currency, 2)

/** The page of a checkout link. It can be paid several times, because nothing is stored but the link. */
export const HOSTED_LINK: PageVisit = {
  unknown: { title: 'Nothing to pay here', text: 'The product does not sell this. Check the address.' },
  open({ contextFor }, id, request) {
    const context = contextFor(id.replace(/\/$/, ''))
    const link = readLink(listSellers(context), OTHER_PRICES.read(context), request.query)
    if (!link) return null
    // Without an authorization a license is ignored, and the page sells another one.
    return link.given.authorization === undefined ? hostedPage(context, link, request) : upgradePage(context, link)
  },
}

const upgradePage = (context: AccountContext, link: Link) =>
  hostedUpgrade(context, link, {
    successUrl: (license, data) =>
      signedReturn(license.successUrl, { ...returnData(license, context), ...data }, link.seller.secretKey),
  })

function hostedPage(context: AccountContext, link: Link, request: HttpRequest): HostedPage {
  const page = toPage(context, link)
  return hostedCheckout(context, page, request, {
    money,
    hint: HINT,
    keepsDeclined: false,
    paysLater: ({ mode }) => mode === 'subscription',
    successUrl: ({ successUrl }) => signedReturn(successUrl, returnData(page, context), link.seller.secretKey),
    admit(_, email) {
      page.customer = customerAt(context, email)?.id ?? null
      refuseSecond(context, page)
      context.records.pages.set(page.id, page)
    },
  })
}

/** SaaS products allow one subscription per user at a time, unless the owner allows more in the dashboard. */
function refuseSecond(context: AccountContext, { mode, customer }: PageRecord): void {
  if (mode !== 'subscription' || customer === null || context.isOn('manySubscriptions')) return
  if (runningSubscriptions(context, customer).every(({ canceledAt }) => canceledAt !== null)) return
  throw freemiusError(409, 'Duplicate', 'You have a subscription of this product already.', 'duplicate')
}

/** The code of the coupon that a test has set for every page, as if each buyer had entered it. */
const ENTERED_CODE = 'ENTERED'

/** The sale of a link. It is stored as the licence once it is paid. */
function toPage(context: AccountContext, { seller, price, environment, given }: Link): PageRecord {
  const license = context.newId('pages')
  const terms = couponTerms(context, given, price)
  return newPage(context, {
    id: license,
    price,
    seller: seller.paywallName,
    terms,
    coupon: given.coupon ?? (terms.percentOff + (terms.amountOff ?? 0) > 0 ? ENTERED_CODE : null),
    own: { environment },
    // `hide_coupon` hides the field for a code (CheckoutPopupParams in @freemius/checkout); by default it is shown.
    asks: { ...ASKS_NOTHING, promotionCode: !given.hide_coupon },
    // A link cannot give a trial to a plan that has none.
    trialDays: (given.trial && price.trialDays) || null,
    // A link never expires. The lifetime of a visit to its page is UNVERIFIED.
    expiresAt: context.now + DAY_SECONDS,
    // The product's URL, whichever paywall sells: an owner enters only one.
    successUrl: listSellers(context)[0]?.returnUrl ?? seller.returnUrl,
    cancelUrl: given.cancel_url ?? null,
    email: (given.readonly_user && given.user_email) || null,
    gives: { subscription: { license }, payment: { license } },
  })
}

/** The query of the return URL. */
function returnData(page: PageRecord, context: AccountContext): Record<string, string> {
  const { plan_id = '', pricing_id, expiration } = licenseObject(page, context)
  const subscription = findSubscription(page, context)
  const { trialEnd = null } = subscription ?? {}
  return {
    user_id: page.customer ?? '',
    plan_id,
    email: page.payerEmail ?? '',
    pricing_id: pricing_id ?? '',
    currency: page.price.currency.toLowerCase(),
    license_id: page.id,
    quota: '1',
    tax: '0',
    action: trialEnd === null ? 'purchase' : 'trial',
    amount: String(decimal(amountToday(page))),
    ...(expiration && { expiration }),
    ...(subscription
      ? { subscription_id: subscription.id, billing_cycle: String(billingCycle(page.price)) }
      : { payment_id: page.payment ?? '' }),
    ...(trialEnd !== null && { trial: 'paid', trial_ends_at: dateTime(trialEnd) }),
  }
}
