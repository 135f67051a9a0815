import * as z from 'zod'
import { onSubscription } from '../core/controls/billing-controls.ts'
import { fails, onRecord, onRecordWith } from '../core/controls/controls.ts'
import { PAYMENT_CONTROLS } from '../core/controls/payment-controls.ts'
import { UNKNOWN_VALUES } from '../core/wire/unknown-values.ts'
import { BOUNCES } from './own.ts'
import { refundPart } from './payments.ts'
import { cancel, renewSubscription, SubscriptionUpdate, updateSubscription } from './subscriptions.ts'

const Renewal = { ...fails, pending: z.boolean().default(false) }

/** The controls of the Mollie emulator. */
export const CONTROLS = {
  ...PAYMENT_CONTROLS,
  /** Refunds `amount`, a decimal string in the payment's currency, by default all that is left. Shows the refund. */
  refund: onRecordWith('payment', 'payments', ['amount', z.string().optional()], (context, payment, value) =>
    context.show('refunds', refundPart(context, payment, value)),
  ),
  /** Whether failing direct debits are paid first and charged back some days later. Default true. */
  letDebitsBounce: BOUNCES.control,
  /** Overrides the value of a field in all objects. */
  setValues: UNKNOWN_VALUES.control,
  /** The seller cancels a subscription in the dashboard. */
  cancel: onSubscription(cancel),
  /** The seller changes a subscription's amount, interval or description in the dashboard. */
  update: onRecord('subscription', 'subscriptions', SubscriptionUpdate.shape, (context, subscription, given) =>
    context.show('subscriptions', updateSubscription(context, subscription, given)),
  ),
  /** Charges for the next payment date. With `pending` the charge is pending until `resolvePayment`. */
  renew: onRecord('subscription', 'subscriptions', Renewal, (context, subscription, { fail, pending }) => {
    const outcome = pending ? 'pending' : fail ? 'failed' : 'paid'
    return context.show('payments', renewSubscription(context, subscription, outcome))
  }),
}
