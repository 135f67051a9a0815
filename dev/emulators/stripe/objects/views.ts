import type { AccountContext } from '../../core/domain/context.ts'
import type { Row, Table } from '../../core/domain/records.ts'
import { checkoutSessionObject } from './checkout-session.ts'
import { customerObject, portalSessionObject } from './customer.ts'
import { invoiceObject } from './invoice.ts'
import { paymentIntentObject } from './payment.ts'
import { disputeObject, refundObject } from './reversal.ts'
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
} satisfies { [Name in Table]?: View<Name> }

export type View<Name extends Table> = (record: Row<Name>, context: AccountContext) => { id: string }
