import * as z from 'zod'
import { type Call, call, type Reply } from './call.ts'
import { buy, newEmail } from './checkout.ts'
import { type Person, person, type Tenant } from './tenants.ts'
import type { TestWorld } from './world.ts'

/** A user who has subscribed. */
export interface Subscriber extends Person {
  /** Our id of the purchase. */
  purchaseId: string
  /** The processor's ids. */
  subscriptionId: string
  customer: string
}

/** A subscriber whose webhooks have all arrived: the next call to the processor is the one that the test causes. */
export async function subscribe(
  world: TestWorld,
  tenant: Tenant,
  slug = 'monthly',
  email = newEmail(),
): Promise<Subscriber> {
  const user = await person(world, tenant, email)
  const { paywall, key } = tenant
  await buy(world, { paywall, key, email: user.email, slug })
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

/** Cancels as the user itself does; fields of the body are added or replaced. */
export function cancelOwn(world: TestWorld, subscriber: Subscriber, options: Call & { body?: object } = {}) {
  return cancel(world, { token: subscriber.token, ...options, body: { ...getBody(subscriber), ...options.body } })
}

/** Cancels as the owner does for its user. */
export function cancelFor(
  world: TestWorld,
  { paywall, key }: Tenant,
  subscriber: Subscriber,
  options: Call & { body?: object } = {},
) {
  const body = { ...getBody(subscriber), paywallId: paywall.id, userId: subscriber.id, ...options.body }
  return cancel(world, { key, ...options, body })
}

export const cancel = (world: TestWorld, options: Call): Promise<Reply> =>
  call(world, '/api/paywall/cancel-subscription', options)

const getBody = ({ purchaseId }: Subscriber) => ({ subscriptionId: purchaseId, cancellationReason: 'too expensive' })

/** The calls that asked Stripe to change a subscription. */
export const getUpdates = (world: TestWorld, { subscriptionId }: Subscriber): TestWorld['stripe']['calls'] =>
  world.stripe.calls.filter(({ method, path }) => method === 'POST' && path === `/v1/subscriptions/${subscriptionId}`)

/** What an answer says of a subscriber, as names of what leaked. */
export function findMentions(
  { body, headers }: Reply,
  { id, email, purchaseId, subscriptionId, customer }: Subscriber,
): string[] {
  const shown = JSON.stringify([body, headers])
  return Object.entries({ id, email, purchaseId, subscriptionId, customer }).flatMap(([name, text]) =>
    shown.includes(text) ? [name] : [],
  )
}

/** What is stored of a request to cancel. */
export async function storedRequest(world: TestWorld, { purchaseId }: Subscriber) {
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

/** What a cancellation answered; any other answer fails the test with all of it. */
export function cancelled(reply: Reply): z.output<typeof CancellationReply>['subscription'] {
  if (reply.status !== 200) throw new Error(`not cancelled: ${JSON.stringify(reply)}`)
  return CancellationReply.parse(reply.body).subscription
}
