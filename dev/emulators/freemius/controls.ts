import * as z from 'zod'
import { onSubscription, planControl, reversalControls } from '../core/controls/billing-controls.ts'
import { changing, deciding, onRecordWith } from '../core/controls/controls.ts'
import { TERMS } from '../core/controls/terms.ts'
import { customerAt } from '../core/domain/customers.ts'
import { renewOrEnd } from '../core/domain/dues.ts'
import { OTHER_PRICES } from '../core/domain/plan-changes.ts'
import { refundUpTo } from '../core/domain/reversals.ts'
import { UNKNOWN_VALUES } from '../core/wire/unknown-values.ts'
import { badRequest } from './errors.ts'
import { cancel, cancelLicense, changePlan, deleteLicense, RENEWALS, replace } from './subscriptions.ts'

/** What a test or a person can make happen at Freemius. */
export const CONTROLS = {
  /** Begins the next period and charges it; if something is owed, charges that. The fourth failure is the last. */
  renew: deciding('subscription', 'subscriptions', (context, subscription, succeeds) =>
    renewOrEnd(context, subscription, succeeds, RENEWALS),
  ),
  /** The buyer cancels in the customer portal. */
  portalCancel: onSubscription(cancel),
  /** The buyer changes the plan: the licence gets another subscription, which is shown. */
  changePlan: planControl(changePlan),
  /** Pricings that the owner has made there, which no paywall file names. */
  setOtherPrices: OTHER_PRICES.control,
  /** The value that a field of all objects has from now on. */
  setValues: UNKNOWN_VALUES.control,
  /** Taxes, and a coupon that is used on every page. */
  setTerms: TERMS.control,
  /** The buyer changes the payment method: the licence gets another subscription, which is shown. */
  replaceSubscription: onSubscription(replace),
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
