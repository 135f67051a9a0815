import type { Ledger } from './account-context.ts'
import { customerObject } from './objects/customer.ts'
import { invoiceObject, invoicePayments } from './objects/invoice.ts'
import { chargeObject, paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { sessionLineItems, sessionObject } from './objects/session.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { listOf } from './objects/wire.ts'

/** The object of this account that an id stands for; null if there is none. */
export function objectById(ledger: Ledger, id: string): object | null {
  const { records } = ledger
  const session = records.sessions.get(id)
  const subscription = records.subscriptions.get(id)
  const invoice = records.invoices.get(id)
  const payment = records.payments.get(id)
  const customer = records.customers.get(id)
  const owned = [session, subscription, invoice, payment, customer].some((row) => row?.account === ledger.account.id)
  if (!owned) return id.startsWith('ch_') ? chargeById(ledger, id) : null
  if (session) return sessionObject(session, ledger.url)
  if (subscription) return subscriptionObject(subscription)
  if (invoice) return invoiceObject(invoice)
  if (payment) return paymentIntentObject(payment)
  return customer ? customerObject(customer) : null
}

export function chargeById(ledger: Ledger, id: string): object | null {
  for (const payment of ledger.records.payments.values()) {
    const charge = payment.charges.find((candidate) => candidate.id === id)
    if (charge && payment.account === ledger.account.id) return chargeObject(payment, charge)
  }
  return null
}

/** A list that Stripe puts into an object only when it is asked for; null if there is no such list. */
export function includedList(ledger: Ledger, id: string, member: string): object | null {
  const session = ledger.records.sessions.get(id)
  if (session && member === 'line_items') return sessionLineItems(session)
  const invoice = ledger.records.invoices.get(id)
  if (invoice && member === 'payments') return listOf('/v1/invoice_payments', invoicePayments(invoice))
  if (id.startsWith('ch_') && member === 'refunds') {
    return listOf(`/v1/charges/${id}/refunds`, refundsOf(ledger, id))
  }
  return null
}

function refundsOf(ledger: Ledger, chargeId: string): object[] {
  return [...ledger.records.refunds.values()].flatMap((refund) => {
    const payment = ledger.records.payments.get(refund.payment)
    return payment && refund.charge === chargeId ? [refundObject(refund, payment)] : []
  })
}
