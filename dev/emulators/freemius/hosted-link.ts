import { html } from 'hono/html'
import type { AccountOf } from '../core/domain/accounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { customerAt } from '../core/domain/customers.ts'
import { amountToday, newPage } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import { hostedCheckout } from '../core/pages/hosted-checkout.ts'
import { formatMoney } from '../core/pages/layout.ts'
import type { HostedPage, PageVisit } from '../core/pages/visits.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import type { HttpRequest } from '../core/server.ts'
import type { FreemiusAccount } from './accounts.ts'
import { freemiusError } from './errors.ts'
import { type Link, readLink, signedReturn } from './link.ts'
import { licenseObject, subscriptionOf } from './objects/license.ts'
import { dateTime, decimal } from './objects/wire.ts'

const HINT = html`This is an emulator: it asks for no card and moves no money. Pay succeeds at once. A payment that arrives later
          is what PayPal may do: it follows with <code>POST /_emulator/renew</code>. Decline the card does what a bank does that
          refuses the payment.`

export const money = (cents: number, currency: string) => formatMoney(cents, currency, 2)

/** The page of a link. It can be paid again and again, as its link is all there is of it. */
export const HOSTED_LINK: PageVisit = {
  unknown: { title: 'Nothing to pay here', text: 'The product does not sell this. Check the address.' },
  open({ contextOf }, id, request) {
    const context = contextOf(id.replace(/\/$/, ''))
    const link = readLink((context.account as AccountOf<FreemiusAccount>).paywalls, request.query)
    return link && hostedPage(context, link, request)
  },
}

function hostedPage(context: AccountContext, link: Link, request: HttpRequest): HostedPage {
  const page = pageOf(context, link)
  const hosted = hostedCheckout(context, page, request, {
    ...{ money, hint: HINT, keepsDeclined: false },
    successUrl: () => signedReturn(link, returnData(page, context)),
    admit(_, email) {
      page.customer = customerAt(context, email)?.id ?? null
      refuseSecond(context, page)
      context.records.pages.set(page.id, page)
    },
  })
  const onlySubscriptions = () => ({ status: 400, problem: 'Only a subscription without a trial can be paid later.' })
  return page.mode === 'payment' ? { ...hosted, press: { ...hosted.press, later: onlySubscriptions } } : hosted
}

/** SaaS products sell one subscription at a time to a user; the owner can allow more in the dashboard. */
function refuseSecond(context: AccountContext, { mode, customer }: PageRecord): void {
  if (mode !== 'subscription' || customer === null || context.isOn('manySubscriptions')) return
  if (runningSubscriptions(context, customer).every(({ canceledAt }) => canceledAt !== null)) return
  throw freemiusError(409, 'Duplicate', 'You have a subscription of this product already.', 'duplicate')
}

/** The sale of a link. It is kept, as the licence, once it is paid. */
function pageOf(context: AccountContext, link: Link): PageRecord {
  const { price, trialDays, cancelUrl, seller, returnUrl, environment, email } = link
  const id = context.newId('pages')
  const own = { license: id }
  return newPage(context, {
    ...{ id, mode: price.interval === null ? 'payment' : 'subscription', trialDays, price },
    ...{ expiresAt: context.now + DAY_SECONDS, seller: seller.paywallName, successUrl: returnUrl, cancelUrl, email },
    ...{ customer: null, makesCustomer: true, own: { environment } },
    gives: { customer: {}, subscription: own, payment: own },
  })
}

/** What the address after a purchase tells. */
function returnData(page: PageRecord, context: AccountContext): Record<string, string> {
  const { plan_id = '', pricing_id, expiration } = licenseObject(page, context)
  const subscription = subscriptionOf(page, context)
  const { trialEnd = null } = subscription ?? {}
  return {
    ...{ user_id: page.customer ?? '', plan_id, email: page.payerEmail ?? '', pricing_id: pricing_id ?? '' },
    ...{ currency: page.price.currency.toLowerCase(), license_id: page.id, quota: '1', tax: '0' },
    ...{ action: trialEnd === null ? 'purchase' : 'trial', amount: String(decimal(amountToday(page))) },
    ...(expiration && { expiration }),
    ...(subscription
      ? { subscription_id: subscription.id, billing_cycle: page.price.interval === 'month' ? '1' : '12' }
      : { payment_id: page.payment ?? '' }),
    ...(trialEnd !== null && { trial: 'paid', trial_ends_at: dateTime(trialEnd) }),
  }
}
