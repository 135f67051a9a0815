import type { Reply } from '../support/call.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly } from '../support/paywall-file.ts'
import type { Subscriber } from '../support/subscriber.ts'
import type { TestWorld } from '../support/world.ts'

/** 9.99 USD a month, and 199.00 USD once. */
export const PRICES = [
  monthly(),
  monthly({ slug: 'trial', label: 'Trial', trial_days: 7 }),
  { slug: 'once', label: 'Once', currency: 'USD', amount: 199, processorPrice: 'price_once' },
]

/** The amounts that Stripe has returned of a purchase's payments, oldest first. */
export function refundedAtStripe(
  { stripe }: TestWorld,
  { subscriptionId }: Pick<Subscriber, 'subscriptionId'>,
): number[] {
  const { payments, refunds } = stripe.records
  const paid = [...payments.values()].filter(({ id, subscription }) => [id, subscription].includes(subscriptionId))
  const ids = paid.map(({ id }) => id)
  return [...refunds.values()]
    .filter(({ payment, status }) => ids.includes(payment) && status !== 'failed')
    .map(({ amount }) => amount)
}

/** The amounts of the events `payment.refunded` about a user, in the order of arrival. */
export async function refundedEvents(world: TestWorld, { id }: Pick<Subscriber, 'id'>) {
  await world.stripe.drainWebhooks()
  const events = await ownerEvents(world, id)
  return events.filter(({ type }) => type === 'payment.refunded').map(({ data }) => data.payment?.amount)
}

/** The distinct statuses and errors of replies. */
export const outcomes = (replies: Reply[]): string[] => [
  ...new Set(replies.map(({ status, body }) => [status, Object(body).error].filter(Boolean).join(' '))),
]
