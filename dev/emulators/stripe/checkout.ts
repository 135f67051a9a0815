import { nextPeriodEnd } from '../core/periods.ts'
import { newId, newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { invalidRequest } from './errors.ts'
import { markInvoicePaid, newInvoice } from './invoices.ts'
import { checkoutAmount, checkoutSessionObject } from './objects/checkout-session.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { beginDebit, chargeCard, findPayment, openPayment } from './payments.ts'
import type { CheckoutSessionRecord, CustomerRecord, PaymentRecord, SubscriptionRecord } from './records.ts'

/*
 * How a checkout session ends; `session` is always one in this folder, since a portal session is called so in full. Paid:
 * its customer is found or made, the card is charged, the subscription and its first invoice are made, the session is
 * complete, the events are sent. Paid later: likewise, but the money is on its way. Declined: a failed charge, and the
 * session stays open. Expired: the session is closed.
 */

const DAY_SECONDS = 24 * 3600

export function findSession(context: AccountContext, id: string): CheckoutSessionRecord {
  const session = find(context, context.records.sessions, 'checkout.session', id)
  expireIfDue(context, session)
  return session
}

/** Completes an open session: the payer pays, or starts a trial. It never awaits, so two clicks cannot both pay. */
export function paySession(context: AccountContext, session: CheckoutSessionRecord, email: string): void {
  complete(context, session, email)
}

/**
 * Completes an open session before its money has arrived, as a bank debit does. A one-time payment is `processing` until
 * the bank has decided. A subscription is `incomplete` until its invoice is paid, or ends as `incomplete_expired`.
 */
export function payLater(
  context: AccountContext,
  session: CheckoutSessionRecord,
  email: string,
): CheckoutSessionRecord {
  if (session.status !== 'open' || checkoutAmount(session) === 0) {
    throw invalidRequest(`Session ${session.id} is not open for a purchase that is paid at once.`)
  }
  session.unpaid = true
  return complete(context, session, session.email ?? email)
}

function complete(context: AccountContext, session: CheckoutSessionRecord, email: string): CheckoutSessionRecord {
  session.payerEmail = email
  const customer = payingCustomer(context, session, email)
  session.customer = customer?.id ?? null
  const payment = takePayment(context, session, customer)
  if (session.mode === 'subscription' && customer) startSubscription(context, session, customer, payment)
  session.status = 'complete'
  context.emit('checkout.session.completed', checkoutSessionObject(session, context.url))
  return session
}

/** The card is declined and the session stays open. A trial takes no payment, so nothing can be declined. */
export function declineSession(context: AccountContext, session: CheckoutSessionRecord): void {
  if (checkoutAmount(session) > 0) chargeCard(context, sessionPayment(context, session), false)
}

/** Closes an open session whose time is over. */
export function expireIfDue(context: AccountContext, session: CheckoutSessionRecord): void {
  if (session.status === 'open' && session.expiresAt <= context.now) close(context, session)
}

export function expireSession(context: AccountContext, id: string): CheckoutSessionRecord {
  const session = findSession(context, id)
  if (session.status !== 'open') {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  }
  return close(context, session)
}

function close(context: AccountContext, session: CheckoutSessionRecord): CheckoutSessionRecord {
  session.status = 'expired'
  context.emit('checkout.session.expired', checkoutSessionObject(session, context.url))
  return session
}

function payingCustomer(context: AccountContext, session: CheckoutSessionRecord, email: string): CustomerRecord | null {
  if (session.customer !== null) return find(context, context.records.customers, 'customer', session.customer)
  if (session.mode === 'payment' && !session.alwaysCreateCustomer) return null
  const customer = { ...newRecord(context, 'cus_', 7), email }
  context.records.customers.set(customer.id, customer)
  return customer
}

function takePayment(
  context: AccountContext,
  session: CheckoutSessionRecord,
  customer: CustomerRecord | null,
): PaymentRecord | null {
  // A subscription that is not paid at once is charged through its invoice later.
  if (checkoutAmount(session) === 0 || (session.unpaid && session.mode === 'subscription')) return null
  const payment = sessionPayment(context, session)
  payment.customer = customer?.id ?? null
  payment.email = session.payerEmail
  if (session.unpaid) beginDebit(context, payment)
  else chargeCard(context, payment, true)
  return payment
}

/** All attempts to pay a session use the same payment intent. */
function sessionPayment(context: AccountContext, session: CheckoutSessionRecord): PaymentRecord {
  if (session.payment !== null) return findPayment(context, session.payment)
  const payment = openPayment(context, {
    amount: checkoutAmount(session),
    currency: session.price.currency,
    customer: session.customer,
    email: session.email,
    description: session.mode === 'subscription' ? 'Subscription creation' : session.price.label,
    metadata: { ...session.paymentMetadata },
  })
  session.payment = payment.id
  return payment
}

function startSubscription(
  context: AccountContext,
  session: CheckoutSessionRecord,
  customer: CustomerRecord,
  payment: PaymentRecord | null,
): void {
  const trialEnd = session.trialDays === null ? null : context.now + session.trialDays * DAY_SECONDS
  const subscription: SubscriptionRecord = {
    ...newRecord(context, 'sub_'),
    itemId: newId('si_'),
    customer: customer.id,
    price: session.price,
    quantity: session.quantity,
    status: session.unpaid ? 'incomplete' : trialEnd === null ? 'active' : 'trialing',
    anchor: trialEnd ?? context.now,
    periodStart: context.now,
    periodEnd: trialEnd ?? nextPeriodEnd(context.now, session.price, context.now),
    trialEnd,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    cancelComment: null,
    cancelFeedback: null,
    cancelReason: null,
    metadata: { ...session.subscriptionMetadata },
    latestInvoice: '',
  }
  context.records.subscriptions.set(subscription.id, subscription)
  const sold = { seller: session.seller, email: session.payerEmail, amount: checkoutAmount(session) }
  const invoice = newInvoice(context, { subscription, reason: 'subscription_create', status: 'open', ...sold })
  session.subscription = subscription.id
  session.invoice = invoice.id
  context.emit('customer.subscription.created', subscriptionObject(subscription))
  if (!session.unpaid) markInvoicePaid(context, invoice, payment)
}
