import type { Views } from '../../core/wire/views.ts'
import { licenseObject, subscriptionObject } from './license.ts'
import { disputeObject, paymentObject, refundObject } from './payment.ts'
import { userObject } from './product.ts'

/** How Freemius shows the records of each table. A licence is kept as the page that sold it. */
export const VIEWS = {
  customers: userObject,
  pages: licenseObject,
  subscriptions: subscriptionObject,
  payments: paymentObject,
  refunds: refundObject,
  disputes: disputeObject,
} satisfies Views
