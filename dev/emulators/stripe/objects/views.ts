import type { Views } from '../../core/wire/views.ts'
import { invoiceObject } from './invoice.ts'
import { disputeObject, paymentIntentObject, refundObject } from './payment.ts'
import { checkoutSessionObject, customerObject, portalSessionObject } from './sessions.ts'
import { subscriptionObject } from './subscription.ts'

/** How Stripe shows the records of each table. */
export const VIEWS = {
  customers: customerObject,
  pages: checkoutSessionObject,
  subscriptions: subscriptionObject,
  invoices: invoiceObject,
  payments: paymentIntentObject,
  refunds: refundObject,
  disputes: disputeObject,
  portalSessions: portalSessionObject,
} satisfies Views
