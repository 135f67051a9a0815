import { beforeAll, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  cancelAsOwner,
  cancelAsUser,
  getUpdates,
  readCancellationRequest,
  type Subscriber,
  subscribe,
} from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

/** The owner and the user, in turn, all at once. */
const together = (count: number, subscriber: Subscriber) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      index % 2 ? cancelAsOwner(world, ours, subscriber) : cancelAsUser(world, subscriber),
    ),
  )

/** How often each answer was given. */
function counted(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const error = typeof body === 'object' && body !== null && 'error' in body ? ` ${body.error}` : ''
    counts[`${status}${error}`] = (counts[`${status}${error}`] ?? 0) + 1
  }
  return counts
}

const cancelScheduled = async ({ id }: Subscriber) =>
  (await ownerEvents(world, id)).filter(({ type }) => type === 'subscription.cancel_scheduled').length

test('100 cancels at once are one cancellation', async () => {
  const subscriber = await subscribe(world, ours)
  const replies = await together(100, subscriber)
  expect(counted(replies)).toEqual({ '200': 1, '400 Subscription is already cancelled': 99 })
  expect(getUpdates(world, subscriber)).toHaveLength(1)
  await world.stripe.drainWebhooks()
  expect((await userState(world, subscriber.id)).purchases).toMatchObject([{ cancel_at_period_end: true }])
  expect(await cancelScheduled(subscriber)).toBe(1)
})

test('20 cancels at once that Stripe refuses leave nothing behind', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.onCall = async ({ path }, run) =>
    path.endsWith(subscriber.subscriptionId)
      ? { status: 400, headers: {}, body: '{"error":{"type":"invalid_request_error","message":"No."}}' }
      : run()
  const counts = counted(await together(20, subscriber))
  world.stripe.onCall = undefined
  // Stripe refused each call, and each gave up its claim to the next: none got a success.
  expect(Object.keys(counts).sort()).toEqual(['400 Subscription is already cancelled', '502 processor_rejected'])
  expect(getUpdates(world, subscriber)).toHaveLength(counts['502 processor_rejected'] ?? 0)
  expect(await readCancellationRequest(world, subscriber)).toEqual({ requested: false, accepted: false, reason: null })
})

test('cancels of several subscriptions do not wait for each other', async () => {
  const subscribers = await Promise.all(Array.from({ length: 5 }, () => subscribe(world, ours)))
  const arrived = new Set<string>()
  const all = Promise.withResolvers<void>()
  world.stripe.onCall = async ({ method, path }, run) => {
    if (method === 'POST' && path.startsWith('/v1/subscriptions/')) {
      arrived.add(path)
      if (arrived.size === subscribers.length) all.resolve()
      await all.promise
    }
    return run()
  }
  const replies = await Promise.all(subscribers.map((subscriber) => cancelAsUser(world, subscriber)))
  world.stripe.onCall = undefined
  expect(counted(replies)).toEqual({ '200': 5 })
})

test('cancelling and keeping, over and over and in any order, end where Stripe ends', async () => {
  const subscriber = await subscribe(world, ours)
  const turns = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 2 ? world.stripe.portalUndo(subscriber.subscriptionId) : cancelAsUser(world, subscriber),
  )
  await Promise.all(turns)
  await world.stripe.drainWebhooks()
  const atStripe = world.stripe.subscriptions.find(({ id }) => id === subscriber.subscriptionId)
  const [stored] = (await userState(world, subscriber.id)).purchases
  expect(stored?.cancel_at_period_end).toBe(atStripe?.cancel_at !== null)
})
