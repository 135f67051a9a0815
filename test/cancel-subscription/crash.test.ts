import { expect, test } from 'vitest'
import {
  alreadyCancelled,
  cancelAsUser,
  getUpdates,
  parseCancelled,
  type Subscriber,
  subscribe,
} from '../support/subscriber.ts'
import { useTenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const ours = useTenant(world)

/** Kills the Workers while they wait for Stripe, before or after it accepts the request. */
async function crashWhileCancelling(subscriber: Subscriber, accepted: boolean): Promise<void> {
  const crashed = Promise.withResolvers<void>()
  world.stripe.onCall = async ({ method, path }, run) => {
    if (method !== 'POST' || !path.endsWith(subscriber.subscriptionId)) return run()
    const reply = accepted ? await run() : undefined
    await world.workers.kill()
    crashed.resolve()
    return reply ?? { status: 500, headers: {}, body: '{}' }
  }
  await expect(cancelAsUser(world, subscriber)).rejects.toThrow()
  await crashed.promise
  world.stripe.onCall = undefined
}

const endLease = ({ purchaseId }: Subscriber) =>
  world.database.query(
    "update purchases set cancel_requested_at = cancel_requested_at - interval '31 seconds' where id = $1",
    [purchaseId],
  )

test('a crash before Stripe accepted it: the next attempt after the lease cancels', async () => {
  const subscriber = await subscribe(world, ours)
  await crashWhileCancelling(subscriber, false)
  expect(await cancelAsUser(world, subscriber)).toMatchObject(alreadyCancelled)
  await endLease(subscriber)
  const replies = await Promise.all(Array.from({ length: 10 }, () => cancelAsUser(world, subscriber)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  expect(getUpdates(world, subscriber)).toHaveLength(2)
  await world.stripe.drainWebhooks()
  expect((await userState(world, subscriber.id)).purchases).toMatchObject([{ cancel_at_period_end: true }])
})

test('a crash after Stripe accepted it: the webhook stores it, and the next attempt returns 400', async () => {
  const subscriber = await subscribe(world, ours)
  await crashWhileCancelling(subscriber, true)
  await world.stripe.drainWebhooks()
  await endLease(subscriber)
  expect(await cancelAsUser(world, subscriber)).toMatchObject(alreadyCancelled)
  expect(getUpdates(world, subscriber)).toHaveLength(1)
  expect((await userState(world, subscriber.id)).purchases).toMatchObject([{ cancel_at_period_end: true }])
})

test('a crash after Stripe accepted it, with a late webhook: the next attempt after the lease succeeds', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.holdWebhooks()
  await crashWhileCancelling(subscriber, true)
  await endLease(subscriber)
  const { canceled_at } = parseCancelled(await cancelAsUser(world, subscriber))
  await world.stripe.sendHeldWebhooks()
  const [purchase] = (await userState(world, subscriber.id)).purchases
  expect(purchase).toMatchObject({ cancel_at_period_end: true, canceled_at })
})
