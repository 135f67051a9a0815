import type { Views } from '../../core/wire/views.ts'
import * as money from './money.ts'
import * as selling from './selling.ts'

/** How Stripe shows the records of each table. */
export const VIEWS = {
  customers: selling.customerObject,
  pages: selling.checkoutSessionObject,
  subscriptions: selling.subscriptionObject,
  invoices: money.invoiceObject,
  payments: money.paymentIntentObject,
  refunds: money.refundObject,
  disputes: money.disputeObject,
  portalSessions: selling.portalSessionObject,
} satisfies Views
