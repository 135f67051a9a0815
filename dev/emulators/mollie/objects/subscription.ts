import type { SubscriptionResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../../core/domain/context.ts'
import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { modeOf, profileOf } from '../accounts.ts'
import { amountOf } from '../amounts.ts'
import { dateOf, dateTime } from '../dates.ts'
import { subscriptionOwn } from '../own.ts'
import { statusOf } from '../subscriptions.ts'
import { documentation, hal, type Wire } from './wire.ts'

export function subscriptionObject(
  subscription: SubscriptionRecord,
  context: AccountContext,
): Wire<SubscriptionResponse> {
  const { id, account, price, mandate, canceledAt } = subscription
  const { charged, ...own } = subscriptionOwn(subscription)
  const customer = `${context.url}/v2/customers/${subscription.customer}`
  return {
    resource: 'subscription',
    id,
    mode: modeOf(account),
    status: statusOf(context, subscription),
    amount: amountOf(price.amount, price.currency),
    timesRemaining: own.times === null ? null : own.times - charged,
    ...own,
    ...(subscription.status === 'active' && { nextPaymentDate: dateOf(subscription.periodEnd) }),
    description: price.label,
    customerId: subscription.customer,
    ...(mandate !== null && { mandateId: mandate }),
    createdAt: dateTime(subscription.created),
    ...(canceledAt !== null && { canceledAt: dateTime(canceledAt) }),
    _links: {
      self: hal(`${customer}/subscriptions/${id}`),
      customer: hal(customer),
      mandate: hal(`${customer}/mandates/${mandate}`),
      profile: hal(`${context.url}/v2/profiles/${profileOf(account)}`),
      payments: hal(`${customer}/subscriptions/${id}/payments`),
      documentation: documentation('get-subscription'),
    },
  }
}
