import { amountsOn } from './amounts.ts'
import { type AccountContext, find } from './context.ts'
import { newCustomer } from './customers.ts'
import { markInvoicePaid, newInvoice, periodLine } from './invoices.ts'
import type { PaymentRecord } from './money-records.ts'
import { amountToday, needsCard, reportDelayedPayment } from './pages.ts'
import { attemptPayment, decidePayment, openPayment } from './payments.ts'
import type { CustomerRecord, PageRecord } from './selling-records.ts'
import { newSubscription } from './subscriptions.ts'

/*
 * Completing a page. Paid: finds or creates the customer, creates the payment, the subscription and its first invoice, and
 * completes the page. Paid later: the same with a pending one-time payment or an `incomplete` subscription. Declined: records a
 * failed attempt, and the page stays open. Nothing here awaits, so two clicks cannot both pay.
 */

export function payPage(context: AccountContext, page: PageRecord, email: string): PageRecord {
  page.payerEmail = email
  const customer = payingCustomer(context, page, email)
  page.customer = customer?.id ?? null
  const payment = takePayment(context, page, customer)
  if (page.mode === 'subscription' && customer) startSubscription(context, page, customer, payment)
  page.status = 'complete'
  context.emit({ what: 'page.completed', page })
  return page
}

export function payPageLater(context: AccountContext, page: PageRecord, email: string): PageRecord {
  if (page.status !== 'open' || amountToday(page) === 0) {
    throw context.refuse(`${page.id} is not open, or has nothing to pay today.`)
  }
  page.unpaid = true
  return payPage(context, page, page.email ?? email)
}

/** A trial requires no payment, so nothing can be declined. */
export function declinePage(context: AccountContext, page: PageRecord): void {
  if (amountToday(page) > 0) attemptPayment(context, findPagePayment(context, page), 'failed')
}

/** Completes or fails the pending payment of a page. */
export function resolvePayment(context: AccountContext, payment: PaymentRecord, succeeds: boolean): PaymentRecord {
  if (payment.status !== 'pending') throw context.refuse(`${payment.id} is not processing.`)
  decidePayment(context, payment, succeeds)
  reportDelayedPayment(context, payment.id, succeeds)
  return payment
}

function payingCustomer(context: AccountContext, page: PageRecord, email: string): CustomerRecord | null {
  if (page.customer !== null) return find(context, 'customers', page.customer)
  if (page.mode === 'payment' && !page.makesCustomer) return null
  return newCustomer(context, { email, own: page.gives.customer })
}

function takePayment(context: AccountContext, page: PageRecord, customer: CustomerRecord | null): PaymentRecord | null {
  // A subscription with a pending payment is charged through its invoice later.
  if (amountToday(page) === 0 || (page.unpaid && page.mode === 'subscription')) return null
  const payment = findPagePayment(context, page)
  payment.customer = customer?.id ?? null
  payment.email = page.payerEmail
  return attemptPayment(context, payment, page.unpaid ? 'pending' : 'paid')
}

/** All attempts to pay a page belong to the same payment. */
function findPagePayment(context: AccountContext, page: PageRecord): PaymentRecord {
  if (page.payment !== null) return find(context, 'payments', page.payment)
  const { price, quantity, customer, email, gives, mode, terms } = page
  const description = mode === 'subscription' ? 'Subscription creation' : price.label
  const given = { amount: amountToday(page), currency: price.currency, customer, email, description }
  const { discount, tax } = amountsOn(terms, price.amount * quantity)
  const sold = mode === 'payment' ? { price, quantity, discount, tax } : null
  const payment = openPayment(context, { ...given, sold, own: structuredClone(gives.payment) })
  page.payment = payment.id
  return payment
}

function startSubscription(
  context: AccountContext,
  page: PageRecord,
  { id: customer }: CustomerRecord,
  payment: PaymentRecord | null,
): void {
  const {
    price,
    quantity,
    terms,
    coupon,
    trialDays,
    trialEnd,
    seller,
    payerEmail: email,
    unpaid,
    gives,
    chosenId,
  } = page
  const subscription = newSubscription(context, {
    customer,
    price,
    quantity,
    terms,
    coupon,
    trialDays,
    hasCard: needsCard(page),
    own: structuredClone(gives.subscription),
    ...(chosenId !== undefined && { id: chosenId }),
    ...(trialEnd !== undefined && { trialEnd }),
    ...(unpaid && { status: 'incomplete' }),
  })
  const whole = periodLine(subscription)
  const sold = { seller, email, lines: [trialDays === null ? whole : { ...whole, amount: 0 }] }
  const invoice = newInvoice(context, subscription, { ...sold, reason: 'create', status: 'open' })
  page.subscription = subscription.id
  page.invoice = invoice.id
  if (payment) payment.subscription = subscription.id
  context.emit({ what: 'subscription.created', subscription })
  if (!unpaid) markInvoicePaid(context, invoice, payment)
}
