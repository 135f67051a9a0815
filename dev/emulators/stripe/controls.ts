import * as z from 'zod'
import { billingControls } from '../core/controls/billing-controls.ts'
import { onAccount } from '../core/controls/controls.ts'
import { accountRecord } from '../core/domain/context.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { disputeObject } from './objects/dispute.ts'
import { paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { refund } from './refunds.ts'
import { cancelInPortal, cancelSubscription, resumeInPortal } from './subscriptions.ts'

/** What a test or a person can make happen at Stripe. */
export const CONTROLS = {
  ...billingControls({
    names: { page: 'session', payment: 'payment_intent' },
    show: {
      page: checkoutSessionObject,
      subscription: subscriptionObject,
      payment: paymentIntentObject,
      refund: refundObject,
      dispute: disputeObject,
    },
    end: (context, { id }) => cancelSubscription(context, {}, id),
    portalCancel: cancelInPortal,
    portalUndo: resumeInPortal,
    refund: (context, { id }, amount) =>
      refund(context, { payment_intent: id, ...(amount !== undefined && { amount }) }),
  }),
  /** Whether the portal's settings of a paywall's account were ever saved in the dashboard: they were, unless this says no. */
  configurePortal: onAccount(['configured', z.boolean()], ({ records, account }, portalConfigured) => {
    accountRecord(records, account.id).own = { portalConfigured }
  }),
}
