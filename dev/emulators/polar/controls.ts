import * as z from 'zod'
import { billingControls } from '../core/controls/billing-controls.ts'
import { onAccount, onRecord, type RecordControl } from '../core/controls/controls.ts'
import { type AccountContext, accountRecord, find } from '../core/domain/context.ts'
import { closeDispute } from '../core/domain/reversals.ts'
import { checkoutObject } from './objects/checkout.ts'
import { disputeObject, refundObject } from './objects/order.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { endDisputed, orderOf, preventDispute, refundOrder } from './orders.ts'
import { settingsOwn } from './own.ts'
import { cancel, revoke, uncancel } from './subscriptions.ts'

const BILLING = billingControls({
  names: { page: 'checkout', payment: 'payment' },
  show: {
    ...{ page: checkoutObject, subscription: subscriptionObject, refund: refundObject, dispute: disputeObject },
    payment: ({ id, status, amount, currency }) => ({ id, status, amount, currency }),
  },
  ...{ end: revoke, portalCancel: cancel, portalUndo: uncancel },
  refund: (context, payment, amount) => refundOrder(context, orderOf(context, payment), amount),
})

/** A control of a payment, by the id of the order that the payment paid. */
const byOrder = <Given>({ optionsOf, run }: RecordControl<Given>): RecordControl<Given> => ({
  field: 'order',
  optionsOf,
  run: (store, id, options) => run(store, store.state.records.invoices.get(id)?.payment ?? id, options),
})

/** What a test or a person can make happen at Polar. */
export const CONTROLS = {
  ...BILLING,
  refund: byOrder(BILLING.refund),
  dispute: byOrder(BILLING.dispute),
  /** The bank has decided a dispute. Either way Polar ends the subscription. */
  closeDispute: onRecord('dispute', 'disputes', { won: z.boolean().default(false) }, (context, dispute, { won }) => {
    endDisputed(context, orderOf(context, find(context, 'payments', dispute.payment)))
    return disputeObject(closeDispute(context, dispute, won), context)
  }),
  /** Polar gives a payment back before the payer's bank makes a dispute of it. */
  preventDispute: byOrder(
    onRecord('payment', 'payments', {}, (context, payment) =>
      refundObject(preventDispute(context, orderOf(context, payment)), context),
    ),
  ),
  /** Whether a customer may have several subscriptions: a setting of the organisation, which is on unless this says no. */
  allowMultipleSubscriptions: onAccount(['allowed', z.boolean()], (context, allowMultipleSubscriptions) =>
    set(context, { allowMultipleSubscriptions }),
  ),
  /** The scopes that the token was made without. */
  withholdScopes: onAccount(['scopes', z.array(z.string())], (context, lackingScopes) =>
    set(context, { lackingScopes }),
  ),
}

function set({ records, account }: AccountContext, settings: object): void {
  const record = accountRecord(records, account.id)
  record.own = { ...settingsOwn(record), ...settings }
}
