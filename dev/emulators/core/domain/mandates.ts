import { type AccountContext, all, find, newestFirst, newRecord } from './context.ts'
import type { MandateRecord, SubscriptionRecord } from './selling-records.ts'

/*
 * Permissions to charge a customer again, and the subscriptions that are charged on them. While the switch `slowMandates` is on,
 * new mandates are pending, and no subscription can begin on them. With `pendingMandates` one can, and is pending as long as its
 * mandate.
 */

type NewMandate = Pick<MandateRecord, 'customer' | 'payment' | 'method'>

export function newMandate(context: AccountContext, given: NewMandate): MandateRecord {
  const mandate = { ...newRecord(context, 'mandates'), ...given, slow: areSlow(context), revoked: false }
  context.records.mandates.set(mandate.id, mandate)
  return mandate
}

const areSlow = ({ isOn }: AccountContext) => isOn('slowMandates') || isOn('pendingMandates')

export function mandateStatus(context: AccountContext, { slow, revoked }: MandateRecord) {
  if (revoked) return 'invalid'
  return slow && areSlow(context) ? 'pending' : 'valid'
}

/** The newest mandate on which a customer's subscription can begin, with the given id and method, if any. */
export function usableMandate(context: AccountContext, customer: string, wanted: Wanted): MandateRecord | undefined {
  const usable = context.isOn('slowMandates') ? ['valid'] : ['valid', 'pending']
  return newestMandate(context, customer, wanted, usable)
}

type Wanted = { id: string | null; method: string | null }

/** The newest mandate on which a customer can be charged now, with the given id and method, if any. */
export const validMandate = (context: AccountContext, customer: string, wanted: Wanted) =>
  newestMandate(context, customer, wanted, ['valid'])

const newestMandate = (context: AccountContext, customer: string, { id, method }: Wanted, statuses: string[]) =>
  newestFirst(context, 'mandates', { customer })
    .filter((mandate) => statuses.includes(mandateStatus(context, mandate)))
    .find((mandate) => (id ?? mandate.id) === mandate.id && (method ?? mandate.method) === mandate.method)

export const findMandate = (context: AccountContext, { mandate }: SubscriptionRecord): MandateRecord =>
  find(context, 'mandates', mandate ?? '')

/** A subscription is pending as long as its mandate is. */
export function statusOnMandate(context: AccountContext, subscription: SubscriptionRecord) {
  const { status } = subscription
  const waits = status === 'active' && mandateStatus(context, findMandate(context, subscription)) === 'pending'
  return waits ? 'pending' : status
}

/** Invalidates the mandate, which suspends every subscription that is charged on it. */
export function suspendSubscription(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  const { id, mandate, status } = subscription
  if (status !== 'active') throw context.refuse(`Subscription ${id} is ${status}.`)
  findMandate(context, subscription).revoked = true
  for (const other of all(context, 'subscriptions')) {
    if (other.mandate === mandate && other.status === 'active') other.status = 'suspended'
  }
  return subscription
}
