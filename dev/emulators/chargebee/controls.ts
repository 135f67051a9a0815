import * as z from 'zod'
import { billingControls } from '../core/controls/billing-controls.ts'
import { onAccount, onRecord } from '../core/controls/controls.ts'
import { type AccountContext, accountRecord } from '../core/domain/context.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import { endSubscription } from '../core/domain/subscriptions.ts'
import { billPaidBy } from './bills.ts'
import { hostedPageObject } from './objects/hosted-page.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { paymentTransactions, refundTransaction, reversalTransaction } from './objects/transaction.ts'
import { cancelAtEnd, refund, undoCancel } from './subscriptions.ts'

/** A payment is a transaction for each attempt; the controls name it by the id that is shown with them here. */
export const paymentView = (payment: PaymentRecord, context: AccountContext) => ({
  ...{ id: payment.id, status: payment.status },
  invoice_id: billPaidBy(context, payment)?.id ?? null,
  transactions: paymentTransactions(context, payment),
})

const { rollOver: _, ...BILLING } = billingControls({
  names: { page: 'hosted_page', payment: 'payment' },
  show: {
    ...{ page: hostedPageObject, subscription: subscriptionObject, payment: paymentView },
    ...{ refund: refundTransaction, dispute: reversalTransaction },
  },
  ...{ end: endSubscription, portalCancel: cancelAtEnd, portalUndo: undoCancel, refund },
})

/** What a test or a person can make happen at Chargebee. A new term and its charge are one step there. */
export const CONTROLS = {
  ...BILLING,
  /** A chargeback, on a site that is set up to make a credit note of it and to record a refund. */
  chargeback: onRecord('payment', 'payments', {}, (context, payment) =>
    refundTransaction(refund(context, payment, undefined, true), context),
  ),
  /** Whether a paywall's site has the portal switched on. */
  enablePortal: onAccount(['enabled', z.boolean()], ({ records, account }, portalEnabled) => {
    accountRecord(records, account.id).own = { portalEnabled }
  }),
}
