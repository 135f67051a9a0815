import { html } from 'hono/html'
import * as z from 'zod'
import { type AccountContext, find, lookUp } from '../core/domain/context.ts'
import { expireIfOver, openPage } from '../core/domain/pages.ts'
import { collect } from '../core/domain/renewals.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import { checkoutPage } from '../core/pages/checkout-page.ts'
import { formatMoney } from '../core/pages/layout.ts'
import type { ActionResult, HostedPage } from '../core/pages/visits.ts'
import { cycleText, DAY_SECONDS, HOUR_SECONDS } from '../core/periods.ts'
import { text } from '../core/wire/form-fields.ts'
import { create, type Route } from '../core/wire/routes.ts'
import { isDue, listBills } from './bills.ts'
import { redirectUrl } from './checkout.ts'
import { decimalsAtChargebee } from './currencies.ts'
import { wrongState } from './errors.ts'
import { estimateChange } from './estimates.ts'
import { pageOwn } from './own.ts'
import { changeNow, findPlan, hasPlan, itemParameters } from './plan-changes.ts'
import { renewals } from './rules.ts'

/*
 * Hosted pages on which a customer changes a subscription, or pays what is due. The customer may pay with another card, so these payments
 * succeed even while charges of the stored card are declined.
 */

const UpdateParameters = z.strictObject({
  ...itemParameters,
  layout: z.enum(['in_app', 'full_page']).optional(),
  redirect_url: redirectUrl.optional(),
  cancel_url: redirectUrl.optional(),
  subscription: z.strictObject({ id: text(50) }),
})

/** Opens a page "to accept payment details from a customer and checkout to update the subscription". */
function checkoutExisting(context: AccountContext, given: z.output<typeof UpdateParameters>): PageRecord {
  const subscription = find(context, 'subscriptions', given.subscription.id, 'subscription[id]')
  return openPage(context, {
    ...common(context, subscription, given),
    ...findPlan(context, subscription, given.subscription_items),
    expiresAt: context.now + 3 * HOUR_SECONDS,
    own: { passThru: null, changes: subscription.id },
  })
}

const CollectParameters = z.strictObject({
  customer: z.strictObject({ id: text(50) }),
  redirect_url: redirectUrl.optional(),
})

/**
 * Opens a page "to collect due payments for the customer". Its lifetime of five days was measured by a public repository for
 * `manage_payment_sources`; for this page it is UNVERIFIED, and so is the error if nothing is due.
 */
function collectNow(context: AccountContext, given: z.output<typeof CollectParameters>): PageRecord {
  const customer = find(context, 'customers', given.customer.id, 'customer[id]')
  const [debtor] = debts(context, customer.id)
  if (!debtor) throw wrongState('The customer has no due invoices.')
  return openPage(context, {
    ...common(context, debtor.subscription, given),
    price: debtor.subscription.price,
    expiresAt: context.now + 5 * DAY_SECONDS,
    own: { passThru: null, collects: true },
  })
}

/** The common fields of these pages. */
function common(
  context: AccountContext,
  { customer }: SubscriptionRecord,
  { redirect_url: to, cancel_url: cancelUrl }: { redirect_url?: string | undefined; cancel_url?: string | undefined },
) {
  return {
    seller: context.account.paywalls[0]?.paywallName ?? '',
    customer,
    email: lookUp(context, 'customers', customer)?.email ?? null,
    successUrl: to ?? context.url,
    cancelUrl: cancelUrl ?? null,
  }
}

/** The due invoices of a customer's subscriptions, with these. */
const debts = (context: AccountContext, customer: string) =>
  runningSubscriptions(context, customer).flatMap((subscription) =>
    listBills(context, subscription.id)
      .filter((bill) => isDue(context, bill))
      .map((bill) => ({ subscription, bill })),
  )

/** The page that changes a subscription or collects; null for a page that sells. `back`: adds the page's id and state to an address. */
export function changePage(
  context: AccountContext,
  page: PageRecord,
  { path, back }: { path: string; back(page: PageRecord, address: string): string },
): HostedPage | null {
  const { changes, collects } = pageOwn(page)
  const work = changes !== null ? toUpdate(context, page, changes) : collects ? toCollection(context, page) : null
  if (work === null) return null
  expireIfOver(context, page)
  const { seller, price, cancelUrl } = page
  const money = formatMoney(work.amount, price.currency, decimalsAtChargebee(price.currency))
  const view = {
    title: `Pay ${seller}`,
    heading: seller,
    label: price.label,
    price: money,
    terms: work.terms,
    pay: `Pay ${money}`,
    buttons: { decline: 'Decline the card', cancel: 'Cancel' },
    hint: html`“Pay” succeeds at once, with another card. “Decline the card” makes the bank refuse the payment.`,
  }
  const pay = (): ActionResult => {
    work.run()
    page.status = 'complete'
    return { to: back(page, page.successUrl) }
  }
  const cancel = (): ActionResult => {
    page.own = { ...pageOwn(page), cancelled: true }
    return { to: cancelUrl === null ? path : back(page, cancelUrl) }
  }
  return {
    ...((page.status !== 'open' || work.isDone) && { closed: { title: 'Nothing to pay here', text: seller } }),
    show: (problem) => checkoutPage(view, problem),
    actions: { pay, decline: () => ({ status: 402, problem: 'Your card was declined.' }), cancel },
  }
}

/** What a page does once it is paid. */
interface Work {
  amount: number
  terms: string
  isDone: boolean
  run(): void
}

/** The site decides whether the change is invoiced at once: the page has no parameter for it. */
function toUpdate(context: AccountContext, page: PageRecord, id: string): Work {
  const subscription = find(context, 'subscriptions', id)
  const { price, quantity } = page
  const plan = { price, quantity }
  return {
    amount: estimateChange(context, subscription, plan),
    terms: `${cycleText(price)}, instead of ${subscription.price.label}`,
    isDone: hasPlan(subscription, plan),
    run() {
      changeNow(context, subscription, plan, { pays: true })
      page.subscription = id
    },
  }
}

function toCollection(context: AccountContext, { customer }: PageRecord): Work {
  const owed = debts(context, customer ?? '')
  return {
    amount: owed.reduce((sum, { bill }) => sum + bill.amount, 0),
    terms: 'Due invoices',
    isDone: owed.length === 0,
    run() {
      for (const { subscription, bill } of owed) {
        collect(context, subscription, find(context, 'invoices', bill.id), true, renewals(context))
      }
    },
  }
}

export const CHANGE_PAGE_ROUTES: Route[] = [
  create('/hosted_pages/checkout_existing_for_items', UpdateParameters, 'pages', checkoutExisting),
  create('/hosted_pages/collect_now', CollectParameters, 'pages', collectNow),
]
