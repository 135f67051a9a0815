import { describe, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { interruptOnce } from '../support/interrupt.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  alreadyCancelled,
  cancelAsUser,
  parseCancelled,
  readCancellationRequest,
  readPurchase,
  type Subscriber,
  subscribe,
} from '../support/subscriber.ts'
import { useTenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const ours = useTenant(world)

const eventTypes = async ({ id }: Subscriber) => (await ownerEvents(world, id)).map(({ type }) => type)
const getPath = ({ subscriptionId }: Subscriber) => `/v1/subscriptions/${subscriptionId}`
describe('a cancellation that was undone in the portal can be repeated', () => {
  test('and each change emits an event', async () => {
    const subscriber = await subscribe(world, ours)
    for (const _round of [1, 2]) {
      parseCancelled(await cancelAsUser(world, subscriber))
      await world.stripe.drainWebhooks()
      await world.stripe.portalUndo(subscriber.subscriptionId)
      expect(await readPurchase(world, subscriber)).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
      expect(await readCancellationRequest(world, subscriber)).toEqual({
        requested: false,
        accepted: false,
        reason: null,
      })
    }
    const eventsPerRound = ['subscription.cancel_scheduled', 'subscription.uncanceled']
    expect((await eventTypes(subscriber)).slice(-4)).toEqual([...eventsPerRound, ...eventsPerRound])
  })

  test('even if the webhook of the cancellation was lost', async () => {
    const subscriber = await subscribe(world, ours)
    world.stripe.holdWebhooks()
    parseCancelled(await cancelAsUser(world, subscriber))
    await world.stripe.portalUndo(subscriber.subscriptionId)
    await world.stripe.sendHeldWebhooks((events) => events.slice(-1))
    parseCancelled(await cancelAsUser(world, subscriber))
    expect(await readPurchase(world, subscriber)).toMatchObject({ cancel_at_period_end: true })
  })

  test('but a webhook from before the cancellation undoes nothing', async () => {
    const subscriber = await subscribe(world, ours)
    await world.stripe.drainWebhooks()
    const arrival = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    world.stripe.onCall = async ({ method }, run) => {
      const reply = await run()
      if (method === 'GET') {
        arrival.resolve()
        await answer.promise
      }
      return reply
    }
    const early = world.stripe.events.findLast(({ type }) => type === 'customer.subscription.created')
    const resent = world.stripe.resend(early?.id ?? '')
    await world.database.query('delete from processor_events where event_id = $1', [early?.id])
    await arrival.promise
    world.stripe.holdWebhooks()
    parseCancelled(await cancelAsUser(world, subscriber))
    answer.resolve()
    expect(await resent).toEqual([200])
    expect(await cancelAsUser(world, subscriber)).toMatchObject(alreadyCancelled)
    world.stripe.onCall = undefined
    await world.stripe.sendHeldWebhooks()
  })
})

test('an outage of Stripe is returned as processor_unavailable, with Retry-After, and the call can be repeated', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.failNext(getPath(subscriber), 500, { error: { type: 'invalid_request_error', message: 'No.' } })
  const reply = await cancelAsUser(world, subscriber)
  expect(reply).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  // Stripe may have cancelled before it failed: the claim stays, so that reconcile polls.
  const request = { requested: true, accepted: false, reason: 'too expensive' }
  expect(await readCancellationRequest(world, subscriber)).toEqual(request)
  parseCancelled(await cancelAsUser(world, subscriber))
})

test('a cancellation that Stripe accepted succeeds, whether or not it could be recorded', async () => {
  const subscriber = await subscribe(world, ours)
  await world.stripe.drainWebhooks()
  world.stripe.holdWebhooks()
  world.neon.onStatement = async ({ query }, run) => {
    if (query.includes('accept_cancellation')) throw new ResponseLost()
    return run()
  }
  parseCancelled(await cancelAsUser(world, subscriber))
  world.neon.onStatement = undefined
  expect(await readCancellationRequest(world, subscriber)).toMatchObject({ requested: true, accepted: false })
  await world.stripe.sendHeldWebhooks()
  await until('the webhook', async () => (await readPurchase(world, subscriber))?.cancel_at_period_end)
})

test("a call whose claim may have been stored can be repeated when the claim's lease has ended, and not before", async () => {
  const subscriber = await subscribe(world, ours)
  const interrupted = interruptOnce(world, { statement: 'claim_cancellation' }, 'after')
  const reply = await cancelAsUser(world, subscriber)
  await interrupted
  expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
  expect(await cancelAsUser(world, subscriber)).toMatchObject(alreadyCancelled)

  await world.database.query(
    'update purchases set cancel_requested_at = cancel_requested_at - make_interval(secs => $2) where id = $1',
    [subscriber.purchaseId, Number(reply.headers['retry-after'])],
  )
  parseCancelled(await cancelAsUser(world, subscriber))
})
