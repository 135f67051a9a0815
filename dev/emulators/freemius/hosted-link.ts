import { html } from 'hono/html'
import * as z from 'zod'
import type { AccountOf } from '../core/domain/accounts.ts'
import { payPage } from '../core/domain/checkout.ts'
import { type AccountContext, all, find, newRecord } from '../core/domain/context.ts'
import { amountToday } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { checkoutPage } from '../core/pages/checkout-page.ts'
import { formatMoney } from '../core/pages/layout.ts'
import type { HostedPage, PageVisit, Pressed } from '../core/pages/visits.ts'
import { cycleText } from '../core/periods.ts'
import type { FreemiusAccount } from './accounts.ts'
import { type Link, readLink, signedReturn } from './link.ts'
import { licenseObject } from './objects/license.ts'
import { dateTime } from './objects/wire.ts'

const HINT = html`This is an emulator: it asks for no card and moves no money. Pay succeeds at once. Pay later does what
          PayPal may do: the subscription is there, its first payment follows with <code>POST /_emulator/renew</code>.
          Decline the card does what a bank does that refuses the payment.`

/** The query's field that a declined card leads to: a GET, so that reloading it declines nothing a second time. */
const DECLINED = 'declined'

export const money = (cents: number, currency: string) => formatMoney(cents, currency, 2)

/** The page of a link. It can be paid again and again, as its link is all there is of it. */
export const HOSTED_LINK: PageVisit = {
  unknown: { title: 'Nothing to pay here', text: 'The product does not sell this. Check the address.' },
  open({ contextOf }, path, { path: whole, query }) {
    const context = contextOf(path.replace(/\/$/, ''))
    const link = readLink((context.account as AccountOf<FreemiusAccount>).paywalls, query)
    return link && hostedPage(context, link, `${whole}?${query}`)
  },
}

function hostedPage(context: AccountContext, link: Link, address: string): HostedPage {
  const { price, trialDays, email, isEmailFixed, cancelUrl, seller } = link
  const today = money(trialDays === null ? price.amount : 0, price.currency)
  const full = money(price.amount, price.currency)
  const cycle = `${cycleText(price)}, until cancelled`
  const pay = (later: boolean) => (form: Record<string, string>) => complete(context, link, form, later)
  return {
    problem: new URL(address, context.url).searchParams.has(DECLINED)
      ? 'Your card was declined. You can try again with another card.'
      : undefined,
    show: (problem) =>
      checkoutPage(
        {
          ...{ title: `Pay ${seller.paywallName}`, heading: seller.paywallName, label: price.label },
          price: trialDays === null ? full : `${trialDays} days free`,
          terms:
            price.interval === null
              ? 'One-time payment'
              : trialDays === null
                ? cycle
                : `then ${full} ${cycle}. Due today: ${today}`,
          email: { value: isEmailFixed ? email : null },
          pay: `Pay ${today}`,
          buttons: { later: 'Pay later', decline: 'Decline the card', cancel: 'Cancel' },
          hint: HINT,
        },
        problem,
      ),
    press: {
      pay: pay(false),
      later: pay(true),
      // A payment that was declined leaves nothing at Freemius.
      decline: () => ({ to: address.includes(`&${DECLINED}=1`) ? address : `${address}&${DECLINED}=1` }),
      cancel: () =>
        cancelUrl === null ? { status: 200, problem: 'The seller gave no address to go back to.' } : { to: cancelUrl },
    },
  }
}

function complete(context: AccountContext, link: Link, form: Record<string, string>, later: boolean): Pressed {
  const address = z.email().safeParse(link.isEmailFixed ? link.email : (form.email?.trim() ?? link.email))
  if (!address.success) return { status: 422, problem: 'Enter your email address.' }
  const page = pageOf(context, link, address.data, later)
  if (later && (page.mode === 'payment' || amountToday(page) === 0)) {
    return { status: 400, problem: 'Only a subscription without a trial can be paid later.' }
  }
  if (page.mode === 'subscription' && !context.isOn('manySubscriptions') && hasSubscription(context, page.customer)) {
    return { status: 409, problem: 'You have a subscription of this product already.' }
  }
  context.records.pages.set(page.id, page)
  payPage(context, page, address.data)
  return { to: signedReturn(link.seller, returnData(page, link, context)) }
}

/** The sale of a link. It is kept, as the licence, once it is paid. */
function pageOf(context: AccountContext, link: Link, email: string, unpaid: boolean): PageRecord {
  const { price, trialDays, cancelUrl, seller, environment } = link
  const record = newRecord(context, 'pages')
  const { id } = record
  const user = all(context, 'customers').find((each) => each.email?.toLowerCase() === email.toLowerCase())
  const { trialDays: _, ...sold } = price
  return {
    ...record,
    mode: price.interval === null ? 'payment' : 'subscription',
    ...{ status: 'open', expiresAt: record.created, seller: seller.paywallName, price: sold, quantity: 1, trialDays },
    ...{ successUrl: seller.returnUrl, cancelUrl, email, payerEmail: null, customer: user?.id ?? null },
    ...{ makesCustomer: true, payment: null, subscription: null, invoice: null, unpaid, chosenIds: {} },
    own: { environment },
    gives: { customer: {}, subscription: { license: id }, payment: { license: id } },
  }
}

/** SaaS products sell one subscription to a user as a rule; the owner can allow more in the dashboard. */
const hasSubscription = (context: AccountContext, customer: string | null) =>
  all(context, 'subscriptions').some(
    (subscription) => subscription.customer === customer && !hasEnded(subscription) && subscription.canceledAt === null,
  )

/** What the address after a purchase tells; each value is text. */
function returnData(page: PageRecord, { price, trialDays }: Link, context: AccountContext): Record<string, string> {
  const { id: license_id, customer, payerEmail, subscription, payment } = page
  const { plan_id = '', pricing_id, expiration } = licenseObject(page, context)
  const common = {
    ...{ user_id: customer ?? '', plan_id, email: payerEmail ?? '' },
    ...(pricing_id && { pricing_id }),
    currency: price.currency.toLowerCase(),
    ...{ action: trialDays === null ? 'purchase' : 'trial', license_id, quota: '1', tax: '0' },
    amount: String(amountToday(page) / 100),
  }
  if (subscription === null) return { ...common, payment_id: payment ?? '' }
  const { trialEnd } = find(context, 'subscriptions', subscription)
  return {
    ...common,
    ...(expiration && { expiration }),
    subscription_id: subscription,
    billing_cycle: price.interval === 'month' ? '1' : '12',
    ...(trialEnd !== null && { trial: 'paid', trial_ends_at: dateTime(trialEnd) }),
  }
}
