import * as z from 'zod'
import { onSubscription, planControl, reversalControls } from '../core/controls/billing-controls.ts'
import { changing, deciding, onRecordWith } from '../core/controls/controls.ts'
import { PROMOTION_CODES } from '../core/controls/promotion-codes.ts'
import { TERMS } from '../core/controls/terms.ts'
import { customerAt } from '../core/domain/customers.ts'
import { renewOrEnd } from '../core/domain/dues.ts'
import { OTHER_PRICES } from '../core/domain/plan-changes.ts'
import { refundUpTo } from '../core/domain/reversals.ts'
import { UNKNOWN_VALUES } from '../core/wire/unknown-values.ts'
import { COUPONS } from './coupons.ts'
import { badRequest } from './errors.ts'
import { changePlan } from './plan-changes.ts'
import { cancel, cancelLicense, deleteLicense, RENEWALS, replace } from './subscriptions.ts'

/** The controls of the Freemius emulator. */
export const CONTROLS = {
  /** Charges the unpaid invoice, or else begins the next period and charges it. The fourth failure is the last. */
  renew: deciding('subscription', 'subscriptions', (context, subscription, succeeds) =>
    renewOrEnd(context, subscription, succeeds, RENEWALS),
  ),
  /** The buyer cancels in the customer portal. */
  portalCancel: onSubscription(cancel),
  /** The buyer changes the plan: the licence gets a new subscription, which is shown. */
  changePlan: planControl(changePlan),
  /** Sets pricings that exist at Freemius but in no paywall file. */
  setOtherPrices: OTHER_PRICES.control,
  /** Overrides the value of a field in all objects. */
  setValues: UNKNOWN_VALUES.control,
  /** Sets taxes and a coupon for every page. */
  setTerms: TERMS.control,
  setCoupons: COUPONS.control,
  /** Sets the codes that buyers can enter. */
  setPromotionCodes: PROMOTION_CODES.control,
  /** The buyer changes the payment method: the licence gets a new subscription, which is shown. */
  replaceSubscription: onSubscription(replace),
  /** Changes a user's address. */
  changeAddress: onRecordWith('user', 'customers', ['email', z.email()], (context, user, email) => {
    if (customerAt(context, email)) throw badRequest('The address is taken.')
    return context.show('customers', Object.assign(user, { email }))
  }),
  /** The owner cancels a licence in the dashboard. */
  cancelLicense: changing('license', 'pages', cancelLicense),
  /** The owner deletes a licence in the dashboard: it no longer exists at Freemius. */
  deleteLicense: changing('license', 'pages', deleteLicense),
  /** A refund does not change the licence. */
  ...reversalControls('payment', (context, payment, amount) =>
    refundUpTo(context, payment, { amount }, (left) =>
      badRequest(`Only ${left} cents of payment ${payment.id} can be refunded.`),
    ),
  ),
}
