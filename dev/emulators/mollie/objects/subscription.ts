import type { SubscriptionResponse } from 'mollie-api-typescript/models'
import { modeOf, profileOf } from '../accounts.ts'
import { dateTime } from '../dates.ts'
import type { SubscriptionRecord } from '../records.ts'
import { documentation, hal, type Wire } from './wire.ts'

export function subscriptionObject(subscription: SubscriptionRecord, url: string): Wire<SubscriptionResponse> {
  const { id, account, times, nextPaymentDate, canceledAt } = subscription
  const customer = `${url}/v2/customers/${subscription.customer}`
  return {
    resource: 'subscription',
    id,
    mode: modeOf(account),
    status: subscription.status,
    amount: subscription.amount,
    times,
    timesRemaining: times === null ? null : times - subscription.charged,
    interval: subscription.interval,
    startDate: subscription.startDate,
    ...(nextPaymentDate !== null && { nextPaymentDate }),
    description: subscription.description,
    method: subscription.method,
    metadata: subscription.metadata,
    webhookUrl: subscription.webhookUrl,
    customerId: subscription.customer,
    mandateId: subscription.mandate,
    createdAt: dateTime(subscription.created),
    ...(canceledAt !== null && { canceledAt: dateTime(canceledAt) }),
    _links: {
      self: hal(`${customer}/subscriptions/${id}`),
      customer: hal(customer),
      mandate: hal(`${customer}/mandates/${subscription.mandate}`),
      profile: hal(`${url}/v2/profiles/${profileOf(account)}`),
      payments: hal(`${customer}/subscriptions/${id}/payments`),
      documentation: documentation('get-subscription'),
    },
  }
}
