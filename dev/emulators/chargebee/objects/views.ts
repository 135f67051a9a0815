import type { Views } from '../../core/wire/views.ts'
import { hostedPageObject } from './hosted-page.ts'
import { paymentTransactions, refundTransaction, reversalTransaction } from './money.ts'
import { subscriptionObject } from './subscription.ts'

/** How Chargebee shows the records of each table. */
export const VIEWS = {
  pages: hostedPageObject,
  subscriptions: subscriptionObject,
  /** A payment is a transaction for each attempt; the controls name it by the id that is shown with them here. */
  payments: (payment, context) => ({
    ...{ id: payment.id, status: payment.status },
    transactions: paymentTransactions(context, payment),
  }),
  refunds: refundTransaction,
  disputes: reversalTransaction,
} satisfies Views
