import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import { billCycle } from '../core/domain/renewals.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { cancelAtEnd, endSubscription, hasEnded } from '../core/domain/subscriptions.ts'
import { newId } from '../core/domain/tables.ts'
import { text } from '../core/wire/form-fields.ts'
import { act, Nothing, type Route, retrieve, route } from '../core/wire/routes.ts'
import { wrongState, wrongValue } from './errors.ts'
import { withCustomer } from './objects/selling.ts'
import { complete, content } from './objects/wire.ts'
import { subscriptionOwn } from './own.ts'

/** How to handle unbilled charges. That they are invoiced by default is UNVERIFIED. */
const UnbilledCharges = z.enum(['invoice', 'delete'])

const CancelParameters = z.strictObject({
  cancel_option: z.enum(['immediately', 'end_of_term']).default('immediately'),
  account_receivables_handling: z.literal('no_action').optional(),
  credit_option_for_current_term_charges: z.literal('none').optional(),
  unbilled_charges_option: UnbilledCharges.default('invoice'),
  cancel_reason_code: text(100).optional(),
})

/** Cancels now or at the end of the term. A reason code must be configured on the site; this one has none. */
function cancelForItems(
  context: AccountContext,
  subscription: SubscriptionRecord,
  {
    cancel_option: when,
    cancel_reason_code: code,
    unbilled_charges_option: unbilled,
  }: z.output<typeof CancelParameters>,
) {
  if (code !== undefined) throw wrongValue('cancel_reason_code', 'not configured')
  if (hasEnded(subscription)) throw wrongState('The subscription is already cancelled.')
  return when === 'immediately' ? endNow(context, subscription, unbilled) : setCancelled(context, subscription, true)
}

/** Ends a subscription. That unbilled charges are invoiced at the end of a term is UNVERIFIED. */
export function endNow(
  context: AccountContext,
  subscription: SubscriptionRecord,
  unbilled: z.output<typeof UnbilledCharges>,
) {
  if (unbilled === 'delete') subscription.pendingLines = []
  endSubscription(context, subscription)
  if (subscription.pendingLines.length > 0) billCycle(context, subscription)
  return subscription
}

/** Schedules a subscription's end, or undoes that. Whether Chargebee refuses a repeat is UNVERIFIED. */
export function setCancelled(context: AccountContext, subscription: SubscriptionRecord, cancelled: boolean) {
  if (hasEnded(subscription) || cancelled === (subscription.cancelAt !== null)) {
    throw wrongState(`The subscription is ${cancelled ? 'already cancelled' : 'not scheduled to be cancelled'}.`)
  }
  return cancelAtEnd(context, subscription, cancelled)
}

const undoCancel = (context: AccountContext, subscription: SubscriptionRecord) =>
  setCancelled(context, subscription, false)

const CommentQuery = z.strictObject({ entity_type: z.literal('subscription'), entity_id: text(100) })
const CommentParameters = CommentQuery.extend({ notes: text(1000) })

function addComment(context: AccountContext, { entity_id: id, notes }: z.output<typeof CommentParameters>) {
  const subscription = find(context, 'subscriptions', id, 'entity_id')
  const comment = complete('comment', { id: newId('cmt_', 8), notes, created_at: context.now, entity_id: id })
  subscription.own = { comments: [...subscriptionOwn(subscription).comments, { ...comment }] }
  return comment
}

export const SUBSCRIPTION_ROUTES: Route[] = [
  retrieve('/subscriptions/:id', 'subscriptions', withCustomer),
  act('POST', '/subscriptions/:id/cancel_for_items', CancelParameters, 'subscriptions', cancelForItems, withCustomer),
  act('POST', '/subscriptions/:id/remove_scheduled_cancellation', Nothing, 'subscriptions', undoCancel, withCustomer),
  route('POST', '/comments', CommentParameters, addComment),
  route('GET', '/comments', CommentQuery, (context, { entity_id: id }) => {
    const { comments } = subscriptionOwn(find(context, 'subscriptions', id))
    return { list: comments.map((comment) => content(comment)) }
  }),
]
