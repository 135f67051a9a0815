import * as z from 'zod'
import type { StripeEvent } from '../../dev/emulators/stripe/objects/event.ts'
import { eventsAbout } from '../support/stripe-purchase.ts'
import type { Person } from './person.ts'
import type { Sale, Truth } from './sales.ts'

const Metadata = z.looseObject({ paywall_id: z.string(), checkout_id: z.string() })

export const Session = z.looseObject({
  id: z.string(),
  mode: z.string(),
  status: z.string(),
  payment_status: z.string(),
  payment_intent: z.string().nullable(),
  metadata: Metadata,
})

export const Subscription = z.looseObject({
  id: z.string(),
  customer: z.string(),
  status: z.string(),
  cancel_at: z.int().nullable(),
  metadata: Metadata,
  items: z.object({ data: z.array(z.object({ current_period_end: z.int() })).length(1) }),
})
export type Subscription = z.output<typeof Subscription>

const Invoice = z.looseObject({ parent: z.object({ subscription_details: z.object({ subscription: z.string() }) }) })

const isOf = (paywallId: string) => (each: unknown) =>
  z.object({ metadata: Metadata }).safeParse(each).data?.metadata.paywall_id === paywallId

/** The oldest first. */
export const stripeSubscriptions = ({ world }: Person): Subscription[] =>
  world.stripe.subscriptions.filter(isOf(world.paywall.id)).map((each) => Subscription.parse(each))

const sessionsOf = ({ world }: Person) =>
  world.stripe.checkoutSessions.filter(isOf(world.paywall.id)).map((each) => Session.parse(each))

export function stripeTruth(person: Person): Truth {
  const sessions = sessionsOf(person)
  const events = eventsOf(person)
  const complete = sessions.filter(({ status }) => status === 'complete')
  const once = complete.flatMap(({ payment_intent: id, mode }) => (mode === 'payment' && id ? [id] : []))
  const counted = (type: string, isCounted: (object: Record<string, unknown>) => boolean = () => true) =>
    events.filter((event) => event.type === type && isCounted(event.data.object)).length
  const decided = (outcome: string) =>
    counted(`checkout.session.async_payment_${outcome}`, ({ mode }) => mode === 'payment')
  const paidAtOnce = counted(
    'checkout.session.completed',
    ({ mode, payment_status: status }) => mode === 'payment' && status === 'paid',
  )
  return {
    sales: [
      ...stripeSubscriptions(person).map((each) => saleOf(events, each)),
      ...once.map((id) => onceOf(events, id)),
    ],
    opened: sessions.map(({ metadata }) => metadata.checkout_id),
    paid: complete.map(({ metadata }) => metadata.checkout_id),
    payments: {
      succeeded:
        counted('invoice.paid', ({ amount_paid: amount }) => Number(amount) > 0) + paidAtOnce + decided('succeeded'),
      failed: counted('invoice.payment_failed') + decided('failed'),
      refunded: counted('refund.created'),
      disputed: counted('charge.dispute.created'),
    },
  }
}

/** The events of a life: those that name a subscription, a customer or a payment of its own. */
export function eventsOf(person: Person): StripeEvent[] {
  const { world } = person
  const ids = [
    ...stripeSubscriptions(person).flatMap(({ id, customer }) => [id, customer]),
    ...sessionsOf(person).flatMap(({ id, payment_intent: payment }) => (payment ? [id, payment] : [id])),
  ]
  const payments = eventsAbout(world, ...ids).flatMap(({ type, data }) =>
    type === 'payment_intent.succeeded' ? [String(data.object.id)] : [],
  )
  return eventsAbout(world, ...ids, ...payments)
}

const STATUSES: Record<string, string> = { incomplete: 'pending', incomplete_expired: 'canceled', unpaid: 'past_due' }

function saleOf(events: StripeEvent[], { id, status, cancel_at: cancelAt, items }: Subscription): Sale {
  const hasEnded = status === 'canceled' || status === 'incomplete_expired'
  return {
    processorId: id,
    isSubscription: true,
    status: STATUSES[status] ?? status,
    begun: status !== 'incomplete' && status !== 'incomplete_expired',
    renews: !hasEnded && cancelAt === null,
    periodEnd: new Date(items.data[0]!.current_period_end * 1000).toISOString(),
    covered: events.filter(({ type, data }) => type === 'invoice.paid' && subscriptionOf(data.object) === id).length,
  }
}

const subscriptionOf = (invoice: unknown) => Invoice.parse(invoice).parent.subscription_details.subscription

/** A one-time purchase, as the last events about its payment have it. */
function onceOf(events: StripeEvent[], id: string): Sale {
  const last = events.findLast(({ type, data }) => type.startsWith('payment_intent.') && data.object.id === id)
  const status = OUTCOMES[last?.type ?? ''] ?? 'pending'
  const isRefunded = events.some(
    ({ type, data }) => type === 'charge.refunded' && data.object.payment_intent === id && data.object.refunded,
  )
  return {
    processorId: id,
    isSubscription: false,
    status: isRefunded ? 'refunded' : status,
    begun: status === 'active',
    renews: false,
    periodEnd: null,
    covered: 1,
  }
}

const OUTCOMES: Record<string, string> = {
  'payment_intent.succeeded': 'active',
  'payment_intent.payment_failed': 'canceled',
}

/** One-time payments whose bank has not decided yet. */
export function pendingPayments(person: Person): string[] {
  const events = eventsOf(person)
  const once = sessionsOf(person).flatMap(({ mode, payment_intent: id, status }) =>
    mode === 'payment' && status === 'complete' && id ? [id] : [],
  )
  return once.filter((id) => onceOf(events, id).status === 'pending')
}
