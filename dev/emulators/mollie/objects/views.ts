import type { Views } from '../../core/wire/views.ts'
import { customerObject, mandateObject, subscriptionObject } from './customer.ts'
import { chargebackObject, paymentObject, refundObject } from './payment.ts'

/** How Mollie shows the records of each table. */
export const VIEWS = {
  customers: customerObject,
  mandates: mandateObject,
  subscriptions: subscriptionObject,
  payments: paymentObject,
  refunds: refundObject,
  disputes: chargebackObject,
} satisfies Views
