import * as z from 'zod'
import { billingControls } from '../core/controls/billing-controls.ts'
import { onAccount } from '../core/controls/controls.ts'
import { accountRecord } from '../core/domain/context.ts'
import { VIEWS } from './objects/views.ts'
import { refund } from './refunds.ts'
import { cancelInPortal, cancelSubscription, resumeInPortal } from './subscriptions.ts'

const { pages: page, subscriptions: subscription, payments: payment, refunds, disputes: dispute } = VIEWS

/** What a test or a person can make happen at Stripe. */
export const CONTROLS = {
  ...billingControls({
    names: { page: 'session', payment: 'payment_intent' },
    show: { page, subscription, payment, refund: refunds, dispute },
    end: (context, ended) => cancelSubscription(context, ended),
    portalCancel: cancelInPortal,
    portalUndo: resumeInPortal,
    refund: (context, { id }, amount) => refund(context, { payment_intent: id, amount, reason: null, metadata: {} }),
  }),
  /** Whether the portal's settings of a paywall's account were ever saved in the dashboard: they were, unless this says no. */
  configurePortal: onAccount(['configured', z.boolean()], ({ records, account }, portalConfigured) => {
    accountRecord(records, account.id).own = { portalConfigured }
  }),
}
