import * as z from 'zod'
import { ofSubscription, reversalControls } from '../core/controls/billing-controls.ts'
import { changing, deciding, onRecordWith } from '../core/controls/controls.ts'
import { customerAt } from '../core/domain/customers.ts'
import { chargeOrEnd } from '../core/domain/dues.ts'
import { refundUpTo } from '../core/domain/reversals.ts'
import { badRequest } from './errors.ts'
import { cancel, cancelLicense, deleteLicense, RENEWALS, replace } from './subscriptions.ts'

/** What a test or a person can make happen at Freemius. */
export const CONTROLS = {
  /** Begins the next period and charges it; if something is owed, charges that. The fourth failure is the last. */
  renew: deciding('subscription', 'subscriptions', (context, subscription, succeeds) =>
    chargeOrEnd(context, subscription, succeeds, RENEWALS),
  ),
  /** The buyer cancels in the customer portal. */
  portalCancel: ofSubscription(cancel),
  /** The buyer changes the payment method: the licence gets another subscription, which is shown. */
  replaceSubscription: ofSubscription(replace),
  /** A user takes another address. */
  changeAddress: onRecordWith('user', 'customers', ['email', z.email()], (context, user, email) => {
    if (customerAt(context, email)) throw badRequest('The address is taken.')
    return context.show('customers', Object.assign(user, { email }))
  }),
  /** The owner cancels a licence in the dashboard. */
  cancelLicense: changing('license', 'pages', cancelLicense),
  /** The owner deletes a licence in the dashboard: Freemius does not know it any more. */
  deleteLicense: changing('license', 'pages', deleteLicense),
  /** The licence stays as it is after a refund. */
  ...reversalControls('payment', (context, payment, amount) =>
    refundUpTo(context, payment, { amount }, (left) => badRequest(`Of payment ${payment.id}, ${left} cents are left.`)),
  ),
}
