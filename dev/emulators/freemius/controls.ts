import * as z from 'zod'
import { reversalControls, subscriptionControl } from '../core/controls/billing-controls.ts'
import { fails, onRecord, onRecordWith } from '../core/controls/controls.ts'
import { all } from '../core/domain/context.ts'
import { announceTrialEnd } from '../core/domain/dues.ts'
import { rollOver } from '../core/domain/renewals.ts'
import { refundedOf, refundPayment } from '../core/domain/reversals.ts'
import { badRequest } from './errors.ts'
import { licenseObject } from './objects/license.ts'
import { disputeObject, refundObject } from './objects/payment.ts'
import { hasAddress, userObject } from './objects/product.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { cancel, cancelLicense, deleteLicense, renew, replace } from './subscriptions.ts'

const ofSubscription = subscriptionControl(subscriptionObject)

/** What a test or a person can make happen at Freemius. */
export const CONTROLS = {
  /** Begins the next period and charges it; if something is owed, charges that. The fourth failure is the last. */
  renew: onRecord('subscription', 'subscriptions', fails, (context, subscription, { fail }) =>
    subscriptionObject(renew(context, subscription, !fail), context),
  ),
  /** Begins the next period, which is not paid yet; ends a subscription that is cancelled. */
  rollOver: ofSubscription(rollOver),
  /** Tells that a trial is about to end. */
  trialWillEnd: ofSubscription(announceTrialEnd),
  /** The buyer cancels in the customer portal. */
  portalCancel: ofSubscription(cancel),
  /** The buyer changes the payment method: the licence gets another subscription, which is shown. */
  replaceSubscription: ofSubscription(replace),
  /** A user takes another address. */
  changeAddress: onRecordWith('user', 'customers', ['email', z.email()], (context, user, email) => {
    if (all(context, 'customers').some((each) => hasAddress(each, email))) throw badRequest('The address is taken.')
    return userObject(Object.assign(user, { email }))
  }),
  /** The owner cancels a licence in the dashboard. */
  cancelLicense: onRecord('license', 'pages', {}, (context, license) =>
    licenseObject(cancelLicense(context, license), context),
  ),
  /** The owner deletes a licence in the dashboard: Freemius does not know it any more. */
  deleteLicense: onRecord('license', 'pages', {}, (context, license) =>
    licenseObject(deleteLicense(context, license), context),
  ),
  ...reversalControls({
    names: { payment: 'payment' },
    show: { refund: refundObject, dispute: disputeObject },
    /** The licence stays as it is. */
    refund(context, payment, amount) {
      const left = payment.amount - refundedOf(context, payment)
      const given = amount ?? left
      if (payment.status !== 'paid') throw badRequest(`Payment ${payment.id} is not paid.`)
      if (given === 0 || given > left) throw badRequest(`Of payment ${payment.id}, ${left} cents are left.`)
      return refundPayment(context, payment, { amount: given, status: 'refunded', own: {} })
    },
  }),
}
