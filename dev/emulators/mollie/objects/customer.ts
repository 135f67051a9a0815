import type { CustomerResponse, MandateResponse, SubscriptionResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../../core/domain/context.ts'
import { mandateStatus, statusOnMandate } from '../../core/domain/mandates.ts'
import type { CustomerRecord, MandateRecord, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { modeOf, profileOf } from '../accounts.ts'
import { amountOf } from '../amounts.ts'
import { dateOf, dateTime } from '../dates.ts'
import { customerOwn, subscriptionOwn } from '../own.ts'
import { dashboard, resource, type Wire } from './wire.ts'

/* A customer, and what belongs to one. */

const addressOf = (customer: string, { url }: AccountContext) => `${url}/v2/customers/${customer}`

export function customerObject(customer: CustomerRecord, context: AccountContext): Wire<CustomerResponse> {
  const { id, account, name, email } = customer
  const self = addressOf(id, context)
  const below = { payments: `${self}/payments`, mandates: `${self}/mandates`, subscriptions: `${self}/subscriptions` }
  return {
    ...resource('customer', customer, self, below, { dashboard: dashboard(`customers/${id}`) }),
    ...{ mode: modeOf(account), name, email, ...customerOwn(customer) },
  }
}

export function mandateObject(mandate: MandateRecord, context: AccountContext): Wire<MandateResponse> {
  const { id, account, customer, method, created } = mandate
  const owner = addressOf(customer, context)
  return {
    ...resource('mandate', mandate, `${owner}/mandates/${id}`, { customer: owner }),
    ...{ mode: modeOf(account), method, details: {}, signatureDate: dateOf(created), mandateReference: null },
    ...{ status: mandateStatus(context, mandate), customerId: customer },
  }
}

export function subscriptionObject(
  subscription: SubscriptionRecord,
  context: AccountContext,
): Wire<SubscriptionResponse> {
  const { id, account, customer, price, mandate, canceledAt } = subscription
  const { charged, ...own } = subscriptionOwn(subscription)
  const owner = addressOf(customer, context)
  const self = `${owner}/subscriptions/${id}`
  const profile = `${context.url}/v2/profiles/${profileOf(account)}`
  const linked = { customer: owner, mandate: `${owner}/mandates/${mandate}`, profile, payments: `${self}/payments` }
  return {
    ...resource('subscription', subscription, self, linked),
    ...{ mode: modeOf(account), status: statusOnMandate(context, subscription), description: price.label },
    amount: amountOf(price.amount, price.currency),
    timesRemaining: own.times === null ? null : own.times - charged,
    ...own,
    ...(subscription.status === 'active' && { nextPaymentDate: dateOf(subscription.periodEnd) }),
    customerId: customer,
    ...(mandate !== null && { mandateId: mandate }),
    ...(canceledAt !== null && { canceledAt: dateTime(canceledAt) }),
  }
}
