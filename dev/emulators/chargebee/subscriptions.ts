import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { isReversed, refundedOf, refundPayment } from '../core/domain/reversals.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { newId } from '../core/domain/tables.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import type { Ids } from '../core/wire/routes.ts'
import { wrongState, wrongValue } from './errors.ts'
import { type Comment, subscriptionOwn } from './own.ts'

export const CancelParameters = z.strictObject({
  cancel_option: z.enum(['immediately', 'end_of_term']).default('immediately'),
  cancel_reason_code: text(100).optional(),
})

/** Cancels now or at the end of the term. A reason code has to be one that the site has configured: this one has none. */
export function cancelForItems(context: AccountContext, given: z.output<typeof CancelParameters>, [id]: Ids) {
  const subscription = find(context, 'subscriptions', id)
  if (given.cancel_reason_code !== undefined) throw wrongValue('cancel_reason_code', 'not configured')
  if (hasEnded(subscription)) throw wrongState('The subscription is already cancelled.')
  if (given.cancel_option === 'immediately') return endSubscription(context, subscription)
  return cancelAtEnd(context, subscription)
}

export const cancelAtEnd = (context: AccountContext, subscription: SubscriptionRecord) =>
  setCancelled(context, subscription, true)

export const undoCancel = (context: AccountContext, subscription: SubscriptionRecord) =>
  setCancelled(context, subscription, false)

/** Schedules a subscription's end, or takes that back. Whether Chargebee refuses a repeat is UNVERIFIED. */
function setCancelled(context: AccountContext, subscription: SubscriptionRecord, cancel: boolean) {
  if (hasEnded(subscription) || cancel === (subscription.cancelAt !== null)) {
    throw wrongState(`The subscription is ${cancel ? 'already cancelled' : 'not scheduled to be cancelled'}.`)
  }
  return change(context, subscription, () => scheduleEnd(context, subscription, cancel))
}

const OfEntity = { entity_type: z.literal('subscription'), entity_id: text(100) }
export const CommentQuery = z.strictObject(OfEntity)
export const CommentParameters = z.strictObject({ ...OfEntity, notes: text(1000) })

export function comment(context: AccountContext, { entity_id: id, notes }: z.output<typeof CommentParameters>) {
  const subscription = find(context, 'subscriptions', id, 'entity_id')
  const made: Comment = { id: newId('cmt_', 8), notes, created: context.now }
  subscription.own = { comments: [...subscriptionOwn(subscription).comments, made] }
  return { ...made, subscription: id }
}

export const RefundParameters = z.strictObject({ refund_amount: integer(1).optional() })

/** Refunds an amount, or all that is left. `isChargeback`: as a site records a chargeback that is set up so. */
export function refund(
  context: AccountContext,
  payment: PaymentRecord,
  given?: number,
  isChargeback = false,
): RefundRecord {
  const left = payment.amount - refundedOf(context, payment)
  const amount = given ?? left
  if (payment.status !== 'paid' || isReversed(context, payment)) throw wrongState('The invoice is not paid.')
  if (left === 0 || amount > left) throw wrongValue('refund_amount', `only ${left} can be refunded`)
  const own = { reasonCode: isChargeback ? 'Chargeback' : 'Other', isChargeback }
  const isSlow = !isChargeback && context.isOn('slowRefunds')
  return refundPayment(context, payment, { amount, own, status: isSlow ? 'pending' : 'refunded' })
}
