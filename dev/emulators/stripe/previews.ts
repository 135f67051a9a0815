import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import { calculateInvoice, latestInvoice, periodLine } from '../core/domain/invoices.ts'
import { beginNextPeriod } from '../core/domain/renewals.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { newId } from '../core/domain/tables.ts'
import { boolean, emptyable, integer, text } from '../core/wire/form-fields.ts'
import { refused } from './errors.ts'
import { billChange, changeParameters } from './plan-changes.ts'
import { refuseManaged } from './schedules.ts'

export const PreviewParameters = z.strictObject({
  subscription: text(),
  subscription_details: z
    .strictObject({
      ...changeParameters,
      cancel_at_period_end: boolean.optional(),
      cancel_at: emptyable(integer(0)).optional(),
    })
    .prefault({}),
})

/**
 * The invoice that a change would create at once, or else the next one (docs.stripe.com/api/invoices/create_preview). Nothing is stored: it
 * "is simply a preview", and its `billing_reason` is `upcoming`.
 */
export function previewInvoice(
  context: AccountContext,
  { subscription: id, subscription_details: given }: z.output<typeof PreviewParameters>,
) {
  const subscription = structuredClone(find(context, 'subscriptions', id, 'subscription'))
  const { cancel_at_period_end: cancel, cancel_at: at } = given
  if (cancel !== undefined && at !== undefined) throw refused('ends_twice')
  if ((cancel ?? at) !== undefined) refuseManaged(subscription)
  const before = find(context, 'customers', subscription.customer).balance
  const { price, quantity, lines, isNow, period } = billChange(
    context,
    subscription,
    given,
    (name) => `subscription_details[${name}]`,
  )
  const { seller, email } = latestInvoice(context, subscription)
  Object.assign(subscription, given.items ? { price, quantity } : subscription.scheduled, period)
  const billed = [...subscription.pendingLines, ...lines]
  if (!isNow) {
    const end = cancel === false || at === null ? null : subscription.cancelAt
    if (hasEnded(subscription) || cancel || (end !== null && end <= subscription.periodEnd)) {
      throw refused('no_upcoming_invoice', { customer: subscription.customer })
    }
    beginNextPeriod(subscription)
    billed.push(periodLine(subscription))
  }
  const invoice = calculateInvoice(context, subscription, {
    seller,
    email,
    reason: 'cycle',
    status: 'draft',
    lines: billed,
  })
  return {
    ...context.show('invoices', { ...invoice, id: newId('upcoming_in_') }),
    billing_reason: 'upcoming',
    starting_balance: -before,
    ending_balance: null,
  }
}
