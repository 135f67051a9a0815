import * as z from 'zod'
import { onSubscription } from '../core/controls/billing-controls.ts'
import { fails, onRecord, onRecordWith } from '../core/controls/controls.ts'
import { PAYMENT_CONTROLS } from '../core/controls/payment-controls.ts'
import { UNKNOWN_VALUES } from '../core/wire/unknown-values.ts'
import { BOUNCES } from './own.ts'
import { refundPart } from './payments.ts'
import { cancel, renewSubscription, SubscriptionUpdate, updateSubscription } from './subscriptions.ts'

const Renewal = { ...fails, pending: z.boolean().default(false) }

/** What a test or a person can make happen at Mollie. */
export const CONTROLS = {
  ...PAYMENT_CONTROLS,
  /** Refunds `amount`, decimal text in the payment's currency, or all that is left. Shows the refund. */
  refund: onRecordWith('payment', 'payments', ['amount', z.string().optional()], (context, payment, value) =>
    context.show('refunds', refundPart(context, payment, value)),
  ),
  /** Whether direct debits that fail are paid first, and charged back some days later: they are, unless it is switched off. */
  letDebitsBounce: BOUNCES.control,
  /** The value that a field of all objects has from now on. */
  setValues: UNKNOWN_VALUES.control,
  /** The seller cancels a subscription in the dashboard. */
  cancel: onSubscription(cancel),
  /** The seller changes what a subscription costs, and how often, in the dashboard. */
  update: onRecord('subscription', 'subscriptions', SubscriptionUpdate.shape, (context, subscription, given) =>
    context.show('subscriptions', updateSubscription(context, subscription, given)),
  ),
  /** Charges for the next payment date. With `pending` the money does not arrive before `resolvePayment`. */
  renew: onRecord('subscription', 'subscriptions', Renewal, (context, subscription, { fail, pending }) => {
    const outcome = pending ? 'pending' : fail ? 'failed' : 'paid'
    return context.show('payments', renewSubscription(context, subscription, outcome))
  }),
}
