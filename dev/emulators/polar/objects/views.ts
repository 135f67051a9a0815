import type { Views } from '../../core/wire/views.ts'
import { disputeObject, refundObject } from './order.ts'
import { checkoutObject, subscriptionObject } from './selling.ts'

/** How Polar shows the records of each table. Its payments are shown by nothing but the emulator. */
export const VIEWS = {
  pages: checkoutObject,
  subscriptions: subscriptionObject,
  payments: ({ id, status, amount, currency }) => ({ id, status, amount, currency }),
  refunds: refundObject,
  disputes: disputeObject,
} satisfies Views
