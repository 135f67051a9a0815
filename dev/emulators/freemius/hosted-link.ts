import { html } from 'hono/html'
import * as z from 'zod'
import type { AccountOf } from '../core/domain/accounts.ts'
import { payPage } from '../core/domain/checkout.ts'
import { type AccountContext, all, newRecord } from '../core/domain/context.ts'
import { amountToday } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { checkoutPage } from '../core/pages/checkout-page.ts'
import { viewOf } from '../core/pages/hosted-checkout.ts'
import { formatMoney } from '../core/pages/layout.ts'
import type { HostedPage, PageVisit, Pressed } from '../core/pages/visits.ts'
import type { FreemiusAccount } from './accounts.ts'
import { type Link, readLink, signedReturn } from './link.ts'
import { licenseObject, subscriptionOf } from './objects/license.ts'
import { hasAddress } from './objects/user.ts'
import { dateTime, decimal } from './objects/wire.ts'

const HINT = html`This is an emulator: it asks for no card and moves no money. Pay succeeds at once. A payment that arrives later
          is what PayPal may do: it follows with <code>POST /_emulator/renew</code>. Decline the card does what a bank does that
          refuses the payment.`

/** The end of the address that a declined card leads to: a GET, so that reloading it declines nothing a second time. */
const DECLINED = '&declined=1'

export const money = (cents: number, currency: string) => formatMoney(cents, currency, 2)

/** The page of a link. It can be paid again and again, as its link is all there is of it. */
export const HOSTED_LINK: PageVisit = {
  unknown: { title: 'Nothing to pay here', text: 'The product does not sell this. Check the address.' },
  open({ contextOf }, id, { path, query }) {
    const context = contextOf(id.replace(/\/$/, ''))
    const link = readLink((context.account as AccountOf<FreemiusAccount>).paywalls, query)
    return link && hostedPage(context, link, `${path}?${query.replace(DECLINED, '')}`, query.endsWith(DECLINED))
  },
}

function hostedPage(context: AccountContext, link: Link, address: string, isDeclined: boolean): HostedPage {
  const page = pageOf(context, link)
  const { cancelUrl } = link
  return {
    problem: isDeclined ? 'Your card was declined. You can try again with another card.' : undefined,
    show: (problem) => checkoutPage(viewOf(page, { money, hint: HINT }), problem),
    press: {
      pay: (form) => complete(context, page, link, form.email),
      later: (form) =>
        page.mode === 'payment' || amountToday(page) === 0
          ? { status: 400, problem: 'Only a subscription without a trial can be paid later.' }
          : complete(context, { ...page, unpaid: true }, link, form.email),
      // A payment that was declined leaves nothing at Freemius.
      decline: () => ({ to: `${address}${DECLINED}` }),
      cancel: () =>
        cancelUrl === null ? { status: 200, problem: 'The seller gave no address to go back to.' } : { to: cancelUrl },
    },
  }
}

/** SaaS products sell one subscription at a time to a user; the owner can allow more in the dashboard. */
function complete(context: AccountContext, page: PageRecord, link: Link, entered?: string): Pressed {
  const email = z.email().safeParse(page.email ?? entered?.trim())
  if (!email.success) return { status: 422, problem: 'Enter your email address.' }
  page.customer = all(context, 'customers').find((user) => hasAddress(user, email.data))?.id ?? null
  const running = all(context, 'subscriptions').filter(
    ({ endedAt, canceledAt }) => endedAt === null && canceledAt === null,
  )
  const hasOne = running.some(({ customer }) => customer === page.customer)
  if (page.mode === 'subscription' && hasOne && !context.isOn('manySubscriptions')) {
    return { status: 409, problem: 'You have a subscription of this product already.' }
  }
  context.records.pages.set(page.id, page)
  payPage(context, page, email.data)
  return { to: signedReturn(link, returnData(page, context)) }
}

/** The sale of a link. It is kept, as the licence, once it is paid. */
function pageOf(
  context: AccountContext,
  { price, trialDays, cancelUrl, seller, returnUrl, environment, email }: Link,
): PageRecord {
  const record = newRecord(context, 'pages')
  const own = { license: record.id }
  return {
    ...{ ...record, mode: price.interval === null ? 'payment' : 'subscription', status: 'open', trialDays },
    ...{ expiresAt: record.created, seller: seller.paywallName, price, quantity: 1, successUrl: returnUrl },
    ...{ cancelUrl, email, payerEmail: null, customer: null, makesCustomer: true, payment: null, subscription: null },
    ...{ invoice: null, unpaid: false, chosenIds: {}, own: { environment } },
    gives: { customer: {}, subscription: own, payment: own },
  }
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
