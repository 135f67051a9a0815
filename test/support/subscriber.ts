import * as z from 'zod'
import { type Call, call, type Reply } from './call.ts'
import { buy, newEmail } from './checkout.ts'
import { type Person, person, type Tenant } from './tenants.ts'
import { userState } from './user-state.ts'
import type { TestWorld } from './world.ts'

/** A user who has subscribed. */
export interface Subscriber extends Person {
  /** Our id of the purchase. */
  purchaseId: string
  /** The processor's ids. */
  subscriptionId: string
  customer: string
}

/** Creates a subscriber and waits for its webhooks, so that the next call to the processor is the one that the test causes. */
export async function subscribe(
  world: TestWorld,
  tenant: Tenant,
  slug = 'monthly',
  email = newEmail(),
  body: Record<string, unknown> = {},
): Promise<Subscriber> {
  const user = await person(world, tenant, email)
  const { paywall, key } = tenant
  await buy(world, { paywall, key, email: user.email, slug, body })
  await Promise.all([world.stripe.drainWebhooks(), world.mollie.drainWebhooks()])
  const { rows } = await world.database.query<{ id: string; processor_id: string; processor_customer: string }>(
    'select id, processor_id, processor_customer from purchases where paywall_id = $1 and user_id = $2',
    [paywall.id, user.id],
  )
  const [purchase] = rows
  if (!purchase) throw new Error('nothing was bought')
  const { id: purchaseId, processor_id: subscriptionId, processor_customer: customer } = purchase
  return { ...user, purchaseId, subscriptionId, customer }
}

/** Cancels with the user's token. `options.body` adds fields to the body or replaces them. */
export function cancelAsUser(world: TestWorld, subscriber: Subscriber, options: Call & { body?: object } = {}) {
  return cancel(world, {
    token: subscriber.token,
    ...options,
    body: { ...cancellationBody(subscriber), ...options.body },
  })
}

/** Cancels for the user with the owner's key. */
export function cancelAsOwner(
  world: TestWorld,
  { paywall, key }: Tenant,
  subscriber: Subscriber,
  options: Call & { body?: object } = {},
) {
  const body = { ...cancellationBody(subscriber), paywallId: paywall.id, userId: subscriber.id, ...options.body }
  return cancel(world, { key, ...options, body })
}

export const cancel = (world: TestWorld, options: Call): Promise<Reply> =>
  call(world, '/api/paywall/cancel-subscription', options)

const cancellationBody = ({ purchaseId }: Subscriber) => ({
  subscriptionId: purchaseId,
  cancellationReason: 'too expensive',
})

/** The calls that asked Stripe to change a subscription. */
export const getUpdates = (world: TestWorld, { subscriptionId }: Subscriber): TestWorld['stripe']['calls'] =>
  world.stripe.calls.filter(({ method, path }) => method === 'POST' && path === `/v1/subscriptions/${subscriptionId}`)

/** The names of the subscriber's fields that a reply leaks. */
export function findLeaks(
  { body, headers }: Reply,
  { id, email, purchaseId, subscriptionId, customer }: Subscriber,
): string[] {
  const shown = JSON.stringify([body, headers])
  return Object.entries({ id, email, purchaseId, subscriptionId, customer }).flatMap(([name, text]) =>
    shown.includes(text) ? [name] : [],
  )
}

/** The one purchase of a subscriber, as its owner sees it, once Stripe's webhooks have arrived. */
export async function readPurchase(world: TestWorld, { id }: Subscriber) {
  await world.stripe.drainWebhooks()
  const [purchase] = (await userState(world, id)).purchases
  return purchase
}

/** The reply to a cancellation of what is already cancelled. */
export const alreadyCancelled = { status: 400, body: { error: 'Subscription is already cancelled' } }

/** The stored state of a cancellation request. */
export async function readCancellationRequest(world: TestWorld, { purchaseId }: Subscriber) {
  const { rows } = await world.database.query<{ requested: boolean; accepted: boolean; reason: string | null }>(
    `select cancel_requested_at is not null as requested, cancel_accepted_at is not null as accepted,
       cancellation_reason as reason from purchases where id = $1`,
    [purchaseId],
  )
  return rows[0]
}

const CancellationReply = z.object({
  success: z.literal(true),
  message: z.string().min(1),
  subscription: z.strictObject({
    id: z.uuid(),
    status: z.string(),
    cancel_at_period_end: z.literal(true),
    cancel_at: z.iso.datetime(),
    canceled_at: z.iso.datetime(),
  }),
})

/** The subscription in the reply of a successful cancellation. Throws the whole reply if it is anything else. */
export function parseCancelled(reply: Reply): z.output<typeof CancellationReply>['subscription'] {
  if (reply.status !== 200) throw new Error(`not cancelled: ${JSON.stringify(reply)}`)
  return CancellationReply.parse(reply.body).subscription
}
