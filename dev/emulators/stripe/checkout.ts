import { newId, newRecord } from '../core/new-record.ts'
import { nextPeriodEnd } from '../core/periods.ts'
import { find, type Ledger } from './account-context.ts'
import { invalidRequest } from './errors.ts'
import { newInvoice, settleInvoice } from './invoices.ts'
import { sessionAmount, sessionObject } from './objects/session.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { charge, findPayment, openPayment } from './payments.ts'
import type { CustomerRecord, PaymentRecord, SessionRecord, SubscriptionRecord } from './records.ts'

const DAY_SECONDS = 24 * 3600

export function findSession(ledger: Ledger, id: string): SessionRecord {
  const session = find(ledger, ledger.records.sessions, 'checkout.session', id)
  expireIfDue(ledger, session)
  return session
}

/** Completes an open session: the payer pays, or starts a trial. Runs without a pause, so a session is paid once. */
export function paySession(ledger: Ledger, session: SessionRecord, email: string): void {
  complete(ledger, session, email)
}

/**
 * Completes an open session of a subscription while its money is on its way, as a bank debit's is: the subscription is
 * `incomplete` until its invoice is collected, or ends as `incomplete_expired`.
 */
export function payLater(ledger: Ledger, id: string, email: string): SessionRecord {
  const session = findSession(ledger, id)
  if (session.status !== 'open' || session.mode !== 'subscription' || sessionAmount(session) === 0) {
    throw invalidRequest(`Session ${id} is not open for a subscription that is paid at once.`)
  }
  session.unpaid = true
  return complete(ledger, session, session.email ?? email)
}

function complete(ledger: Ledger, session: SessionRecord, email: string): SessionRecord {
  session.payerEmail = email
  const customer = payingCustomer(ledger, session, email)
  session.customer = customer?.id ?? null
  const payment = session.unpaid ? null : takePayment(ledger, session, customer)
  if (session.mode === 'subscription' && customer) startSubscription(ledger, session, customer, payment)
  session.status = 'complete'
  ledger.emit('checkout.session.completed', sessionObject(session, ledger.url))
  return session
}

/** The card is declined; the session stays open. A trial takes no payment, so there is no payment that could fail. */
export function declineSession(ledger: Ledger, session: SessionRecord): void {
  if (sessionAmount(session) > 0) charge(ledger, sessionPayment(ledger, session), false)
}

/** Closes a session whose time has come. */
export function expireIfDue(ledger: Ledger, session: SessionRecord): void {
  if (session.status === 'open' && session.expiresAt <= ledger.now) close(ledger, session)
}

export function expireSession(ledger: Ledger, id: string): SessionRecord {
  const session = findSession(ledger, id)
  if (session.status !== 'open') {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  }
  return close(ledger, session)
}

function close(ledger: Ledger, session: SessionRecord): SessionRecord {
  session.status = 'expired'
  ledger.emit('checkout.session.expired', sessionObject(session, ledger.url))
  return session
}

function payingCustomer(ledger: Ledger, session: SessionRecord, email: string): CustomerRecord | null {
  if (session.customer !== null) return find(ledger, ledger.records.customers, 'customer', session.customer)
  if (session.mode === 'payment' && !session.alwaysCreateCustomer) return null
  const customer = { ...newRecord(ledger, 'cus_', 7), email }
  ledger.records.customers.set(customer.id, customer)
  return customer
}

function takePayment(ledger: Ledger, session: SessionRecord, customer: CustomerRecord | null): PaymentRecord | null {
  if (sessionAmount(session) === 0) return null
  const payment = sessionPayment(ledger, session)
  payment.customer = customer?.id ?? null
  payment.email = session.payerEmail
  charge(ledger, payment, true)
  return payment
}

/** A session keeps one payment intent over all its attempts. */
function sessionPayment(ledger: Ledger, session: SessionRecord): PaymentRecord {
  if (session.payment !== null) return findPayment(ledger, session.payment)
  const payment = openPayment(ledger, {
    amount: sessionAmount(session),
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
  ledger: Ledger,
  session: SessionRecord,
  customer: CustomerRecord,
  payment: PaymentRecord | null,
): void {
  const trialEnd = session.trialDays === null ? null : ledger.now + session.trialDays * DAY_SECONDS
  const subscription: SubscriptionRecord = {
    ...newRecord(ledger, 'sub_'),
    itemId: newId('si_'),
    customer: customer.id,
    price: session.price,
    quantity: session.quantity,
    status: session.unpaid ? 'incomplete' : trialEnd === null ? 'active' : 'trialing',
    anchor: trialEnd ?? ledger.now,
    periodStart: ledger.now,
    periodEnd: trialEnd ?? nextPeriodEnd(ledger.now, session.price, ledger.now),
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
  ledger.records.subscriptions.set(subscription.id, subscription)
  const of = { seller: session.seller, email: session.payerEmail, amount: sessionAmount(session) }
  const invoice = newInvoice(ledger, { subscription, reason: 'subscription_create', status: 'open', ...of })
  session.subscription = subscription.id
  session.invoice = invoice.id
  ledger.emit('customer.subscription.created', subscriptionObject(subscription))
  if (!session.unpaid) settleInvoice(ledger, invoice, payment)
}
