import type { AccountContext } from './account-context.ts'
import { checkoutLineItems, checkoutSessionObject } from './objects/checkout-session.ts'
import { customerObject } from './objects/customer.ts'
import { invoiceObject, invoicePayments } from './objects/invoice.ts'
import { chargeObject, paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { listOf } from './objects/wire.ts'

/** The object with an id; null if the account has none. */
export function objectById(context: AccountContext, id: string): object | null {
  const { records } = context
  const session = records.sessions.get(id)
  const subscription = records.subscriptions.get(id)
  const invoice = records.invoices.get(id)
  const payment = records.payments.get(id)
  const customer = records.customers.get(id)
  const owned = [session, subscription, invoice, payment, customer].some((row) => row?.account === context.account.id)
  if (!owned) return id.startsWith('ch_') ? chargeById(context, id) : null
  if (session) return checkoutSessionObject(session, context.url)
  if (subscription) return subscriptionObject(subscription)
  if (invoice) return invoiceObject(invoice)
  if (payment) return paymentIntentObject(payment)
  return customer ? customerObject(customer) : null
}

export function chargeById(context: AccountContext, id: string): object | null {
  for (const payment of context.records.payments.values()) {
    const charge = payment.charges.find((candidate) => candidate.id === id)
    if (charge && payment.account === context.account.id) return chargeObject(payment, charge)
  }
  return null
}

/** A list that Stripe adds to an object only if `expand` asks for it; null if the object has no such list. */
export function includedList(context: AccountContext, id: string, field: string): object | null {
  const session = context.records.sessions.get(id)
  if (session && field === 'line_items') return checkoutLineItems(session)
  const invoice = context.records.invoices.get(id)
  if (invoice && field === 'payments') return listOf('/v1/invoice_payments', invoicePayments(invoice))
  if (id.startsWith('ch_') && field === 'refunds') {
    return listOf(`/v1/charges/${id}/refunds`, refundsOf(context, id))
  }
  return null
}

function refundsOf(context: AccountContext, chargeId: string): object[] {
  return [...context.records.refunds.values()].flatMap((refund) => {
    const payment = context.records.payments.get(refund.payment)
    return payment && refund.charge === chargeId ? [refundObject(refund, payment)] : []
  })
}
