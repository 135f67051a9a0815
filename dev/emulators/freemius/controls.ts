import * as z from 'zod'
import { fails, onRecord, onRecordWith } from '../core/controls/controls.ts'
import { all } from '../core/domain/context.ts'
import { announceTrialEnd } from '../core/domain/dues.ts'
import { rollOver } from '../core/domain/renewals.ts'
import { closeDispute, disputesOf, openDispute, refundedOf, refundPayment } from '../core/domain/reversals.ts'
import { badRequest } from './errors.ts'
import { licenseObject } from './objects/license.ts'
import { disputeObject, refundObject } from './objects/payment.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { hasAddress, userObject } from './objects/user.ts'
import { cancel, cancelLicense, elapse, renew, replace } from './subscriptions.ts'

/** What a test or a person can make happen at Freemius. */
export const CONTROLS = {
  /** Begins the next period and charges it; if something is owed, charges that. The fourth failure is the last. */
  renew: onRecord('subscription', 'subscriptions', fails, (context, subscription, { fail }) =>
    subscriptionObject(renew(context, subscription, !fail), context),
  ),
  /** Begins the next period, which is not paid yet; ends a subscription that is cancelled. */
  rollOver: onRecord('subscription', 'subscriptions', {}, (context, subscription) =>
    subscriptionObject(rollOver(context, subscription), context),
  ),
  /** Lets so many days pass for one subscription, by moving all its dates and its payments' into the past. */
  elapse: onRecordWith('subscription', 'subscriptions', ['days', z.int().positive()], (context, subscription, days) =>
    subscriptionObject(elapse(context, subscription, days), context),
  ),
  /** Tells that a trial is about to end. */
  trialWillEnd: onRecord('subscription', 'subscriptions', {}, (context, subscription) =>
    subscriptionObject(announceTrialEnd(context, subscription), context),
  ),
  /** The buyer cancels in the customer portal. */
  portalCancel: onRecord('subscription', 'subscriptions', {}, (context, subscription) =>
    subscriptionObject(cancel(context, subscription), context),
  ),
  /** The buyer changes the payment method: the licence gets another subscription, which is shown. */
  replaceSubscription: onRecord('subscription', 'subscriptions', {}, (context, subscription) =>
    subscriptionObject(replace(context, subscription), context),
  ),
  /** A user takes another address. */
  changeAddress: onRecordWith('user', 'customers', ['email', z.email()], (context, user, email) => {
    if (all(context, 'customers').some((each) => hasAddress(each, email))) throw badRequest('The address is taken.')
    return userObject(Object.assign(user, { email }))
  }),
  /** The owner cancels a licence in the dashboard. */
  cancelLicense: onRecord('license', 'pages', {}, (context, license) => {
    context.tell({ what: 'page.expired', page: cancelLicense(context, license) })
    return licenseObject(license, context)
  }),
  /** Refunds `amount` in cents, or all that is left of a payment. The licence stays as it is. */
  refund: onRecordWith('payment', 'payments', ['amount', z.int().positive().optional()], (context, payment, amount) => {
    const left = payment.amount - refundedOf(context, payment)
    const given = amount ?? left
    if (payment.status !== 'paid') throw badRequest(`Payment ${payment.id} is not paid.`)
    if (given === 0 || given > left) throw badRequest(`Of payment ${payment.id}, ${left} cents are left.`)
    return refundObject(refundPayment(context, payment, { amount: given, status: 'refunded', own: {} }), context)
  }),
  /** The payer's bank takes the payment back. Shows the dispute. */
  dispute: onRecord('payment', 'payments', {}, (context, payment) => {
    if (payment.status !== 'paid') throw badRequest(`Payment ${payment.id} is not paid.`)
    if (disputesOf(context, payment).length > 0) throw badRequest(`Payment ${payment.id} is disputed already.`)
    return disputeObject(openDispute(context, payment), context)
  }),
  /** The bank has decided a dispute: for the buyer, or with `won` for the seller, who has the money again then. */
  closeDispute: onRecord('dispute', 'disputes', { won: z.boolean().default(false) }, (context, dispute, { won }) =>
    disputeObject(closeDispute(context, dispute, won), context),
  ),
  /** The owner deletes a licence in the dashboard: Freemius does not know it any more. */
  deleteLicense: onRecord('license', 'pages', {}, (context, license) => {
    const object = licenseObject(license, context)
    license.own = { ...license.own, deleted: true }
    context.tell({ what: 'page.failed', page: license })
    return object
  }),
}
