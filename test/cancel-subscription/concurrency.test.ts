import { expect, test } from 'vitest'
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
import { useTenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const ours = useTenant(world)

/** Sends `count` concurrent calls, alternately as the user and as the owner. */
const cancelConcurrently = (count: number, subscriber: Subscriber) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      index % 2 ? cancelAsOwner(world, ours, subscriber) : cancelAsUser(world, subscriber),
    ),
  )

/** Counts the replies by status and error. */
function countReplies(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const error = typeof body === 'object' && body !== null && 'error' in body ? ` ${body.error}` : ''
    counts[`${status}${error}`] = (counts[`${status}${error}`] ?? 0) + 1
  }
  return counts
}

const cancelScheduled = async ({ id }: Subscriber) =>
  (await ownerEvents(world, id)).filter(({ type }) => type === 'subscription.cancel_scheduled').length

test('100 concurrent cancels make one cancellation', async () => {
  const subscriber = await subscribe(world, ours)
  const replies = await cancelConcurrently(100, subscriber)
  expect(countReplies(replies)).toEqual({ '200': 1, '400 Subscription is already cancelled': 99 })
  expect(getUpdates(world, subscriber)).toHaveLength(1)
  await world.stripe.drainWebhooks()
  expect((await userState(world, subscriber.id)).purchases).toMatchObject([{ cancel_at_period_end: true }])
  expect(await cancelScheduled(subscriber)).toBe(1)
})

test('20 concurrent cancels that Stripe refuses store nothing', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.onCall = async ({ path }, run) =>
    path.endsWith(subscriber.subscriptionId)
      ? { status: 400, headers: {}, body: '{"error":{"type":"invalid_request_error","message":"No."}}' }
      : run()
  const counts = countReplies(await cancelConcurrently(20, subscriber))
  world.stripe.onCall = undefined
  // Stripe refused each call, and each gave its claim up for the next: none succeeded.
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
  expect(countReplies(replies)).toEqual({ '200': 5 })
})

test('after concurrent cancels and undos in any order, the stored state is the state at Stripe', async () => {
  const subscriber = await subscribe(world, ours)
  const changes = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 2 ? world.stripe.portalUndo(subscriber.subscriptionId) : cancelAsUser(world, subscriber),
  )
  await Promise.all(changes)
  await world.stripe.drainWebhooks()
  const atStripe = world.stripe.subscriptions.find(({ id }) => id === subscriber.subscriptionId)
  const [stored] = (await userState(world, subscriber.id)).purchases
  expect(stored?.cancel_at_period_end).toBe(atStripe?.cancel_at !== null)
})
