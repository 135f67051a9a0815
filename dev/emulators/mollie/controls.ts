import * as z from 'zod'
import { fails, onRecord, onRecordWith } from '../core/controls/controls.ts'
import { paymentControls } from '../core/controls/payment-controls.ts'
import { subscriptionObject } from './objects/customer.ts'
import { chargebackObject, paymentObject, refundObject } from './objects/payment.ts'
import { refundPart } from './payments.ts'
import { renewSubscription } from './subscriptions.ts'

const Renewal = { ...fails, pending: z.boolean().default(false) }

/** What a test or a person can make happen at Mollie. */
export const CONTROLS = {
  ...paymentControls({
    ...{ payment: paymentObject, refund: refundObject, chargeback: chargebackObject },
    subscription: subscriptionObject,
  }),
  /** Refunds `amount`, decimal text in the payment's currency, or all that is left. Shows the refund. */
  refund: onRecordWith('payment', 'payments', ['amount', z.string().optional()], (context, payment, value) =>
    refundObject(refundPart(context, payment, value), context),
  ),
  /** Charges for the next payment date. With `pending` the money does not arrive before `resolvePayment`. */
  renew: onRecord('subscription', 'subscriptions', Renewal, (context, subscription, { fail, pending }) =>
    paymentObject(renewSubscription(context, subscription, pending ? 'pending' : fail ? 'failed' : 'paid'), context),
  ),
}
