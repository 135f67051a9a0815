import { type AccountContext, find } from '../core/domain/context.ts'
import { findInvoicePayment } from '../core/domain/invoices.ts'
import type { InvoiceRecord } from '../core/domain/money-records.ts'
import type { CustomerRecord } from '../core/domain/selling-records.ts'
import { customerOwn, paymentOwn } from './own.ts'

/*
 * Charges that the buyer must authenticate, as with the card 4000 0027 6000 3184 (docs.stripe.com/testing#regulatory-cards). The intent of
 * a subscription's change then is `requires_action` and has neither a charge nor an error, as in a captured event
 * (gist.github.com/pedro-vasconcelos/6bf3f478b08fb5bb025a1e87895ff26c). The buyer authenticates on the hosted page of the invoice
 * (support.stripe.com/questions/completing-a-next-action-for-paymentintents-created-with-one-off-invoices).
 */

/** Whether charges of the customer's stored card must be authenticated. */
export const asksForAuthentication = (context: AccountContext, customer: string): boolean =>
  customerOwn(find(context, 'customers', customer)).requires_authentication

export function requireAuthentication(
  context: AccountContext,
  customer: CustomerRecord,
  required: boolean,
): ReturnType<AccountContext['show']> {
  customer.own = { ...customerOwn(customer), requires_authentication: required }
  return context.show('customers', customer)
}

/**
 * Charges an invoice and waits for the authentication. That this counts as an attempt is UNVERIFIED. `invoice.payment_failed` is sent
 * (docs.stripe.com/billing/subscriptions/webhooks); `invoice.payment_action_required` and `payment_intent.requires_action`, which nobody
 * here subscribes to, are not.
 */
export function awaitAuthentication(context: AccountContext, invoice: InvoiceRecord): void {
  const payment = findInvoicePayment(context, invoice)
  payment.own = { ...paymentOwn(payment), requires_action: true }
  invoice.attempts += 1
  context.emit({ what: 'invoice.failed', invoice })
}
