import type { CustomerResponse, MandateResponse, SubscriptionResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../../core/domain/context.ts'
import { mandateStatus, statusOnMandate } from '../../core/domain/mandates.ts'
import type { CustomerRecord, MandateRecord, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { accountMode, accountProfile } from '../accounts.ts'
import { toAmount } from '../amounts.ts'
import { dateTime, toDate } from '../dates.ts'
import { customerOwn, subscriptionOwn } from '../own.ts'
import { dashboard, resource, type Wire } from './wire.ts'

/* Customers, mandates and subscriptions. */

const customerAddress = (customer: string, { url }: AccountContext) => `${url}/v2/customers/${customer}`

export function customerObject(customer: CustomerRecord, context: AccountContext): Wire<CustomerResponse> {
  const { id, account, name, email } = customer
  const self = customerAddress(id, context)
  const below = { payments: `${self}/payments`, mandates: `${self}/mandates`, subscriptions: `${self}/subscriptions` }
  return {
    ...resource('customer', customer, self, below, { dashboard: dashboard(`customers/${id}`) }),
    mode: accountMode(account),
    name,
    email,
    ...customerOwn(customer),
  }
}

export function mandateObject(mandate: MandateRecord, context: AccountContext): Wire<MandateResponse> {
  const { id, account, customer, method, created } = mandate
  const owner = customerAddress(customer, context)
  return {
    ...resource('mandate', mandate, `${owner}/mandates/${id}`, { customer: owner }),
    mode: accountMode(account),
    method,
    details: {},
    signatureDate: toDate(created),
    mandateReference: null,
    status: mandateStatus(context, mandate),
    customerId: customer,
  }
}

export function subscriptionObject(
  subscription: SubscriptionRecord,
  context: AccountContext,
): Wire<SubscriptionResponse> {
  const { id, account, customer, price, mandate, canceledAt } = subscription
  const { charged, ...own } = subscriptionOwn(subscription)
  const owner = customerAddress(customer, context)
  const self = `${owner}/subscriptions/${id}`
  const profile = `${context.url}/v2/profiles/${accountProfile(account)}`
  const linked = { customer: owner, mandate: `${owner}/mandates/${mandate}`, profile, payments: `${self}/payments` }
  return {
    ...resource('subscription', subscription, self, linked),
    mode: accountMode(account),
    status: statusOnMandate(context, subscription),
    description: price.label,
    amount: toAmount(price.amount, price.currency),
    timesRemaining: own.times === null ? null : own.times - charged,
    ...own,
    ...(subscription.status === 'active' && { nextPaymentDate: toDate(subscription.periodEnd) }),
    customerId: customer,
    ...(mandate !== null && { mandateId: mandate }),
    ...(canceledAt !== null && { canceledAt: dateTime(canceledAt) }),
  }
}
