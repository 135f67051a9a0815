import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import { listSubscriptions, mollieProcessor, openMollieShop } from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import {
  cancelAsOwner,
  cancelAsUser,
  parseCancelled,
  readCancellationRequest,
  type Subscriber,
  subscribe,
} from '../../support/subscriber.ts'
import { type Tenant, tenant } from '../../support/tenants.ts'
import { until } from '../../support/until.ts'
import { userState } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

let ours: Tenant

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })

beforeAll(() => {
  ours = tenant(world.file)
})
afterEach(() => {
  world.mollie.onCall = undefined
})

const eventTypes = async ({ id }: Subscriber) => (await ownerEvents(world, id)).map(({ type }) => type)
const readPurchase = async ({ id }: Subscriber, shop = world) => (await userState(shop, id)).purchases[0]
/** Mollie's id of a subscriber's subscription; we identify it by its first payment. */
const getMollieId = ({ id }: Subscriber) => listSubscriptions(world, id)[0]!.id
const getDeletions = (subscriber: Subscriber) =>
  world.mollie.calls.filter(({ method, path }) => method === 'DELETE' && path.endsWith(`/${getMollieId(subscriber)}`))

/** Waits for the work that a cancellation does after its response. */
const waitUntilCancelled = (subscriber: Subscriber, shop = world) =>
  expect.poll(() => readPurchase(subscriber, shop)).toMatchObject({ cancel_at_period_end: true })

test('20 concurrent cancellations cancel the subscription once: at Mollie immediately, here at the end of the period', async () => {
  const { shop, passes } = await openMollieShop(world)
  const subscriber = await subscribe(world, shop)
  const before = await readPurchase(subscriber, shop)
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 ? cancelAsOwner(world, shop, subscriber) : cancelAsUser(world, subscriber),
    ),
  )
  const answers = replies.map(({ status, body }) => (status === 200 ? 'cancelled' : JSON.stringify(body)))
  expect(Object.groupBy(answers, (answer) => answer)).toMatchObject({ cancelled: { length: 1 } })
  expect(new Set(answers)).toEqual(new Set(['cancelled', '{"error":"Subscription is already cancelled"}']))
  expect(getDeletions(subscriber)).toHaveLength(1)
  expect(parseCancelled(replies.find(({ status }) => status === 200)!)).toMatchObject({
    id: subscriber.purchaseId,
    status: 'active',
    cancel_at: before?.current_period_end,
  })
  expect(listSubscriptions(world, subscriber.id)).toMatchObject([{ status: 'canceled' }])
  await waitUntilCancelled(subscriber, shop)
  expect(await readPurchase(subscriber, shop)).toMatchObject({
    status: 'active',
    current_period_end: before?.current_period_end,
    cancel_at: before?.current_period_end,
  })
  expect((await userState(shop, subscriber.id)).paid).toBe(true)
  expect((await eventTypes(subscriber)).slice(3)).toEqual(['subscription.cancel_scheduled'])

  await passes('34d')
  expect(await readPurchase(subscriber, shop)).toMatchObject({ status: 'canceled' })
  expect((await userState(shop, subscriber.id)).paid).toBe(false)
  expect((await eventTypes(subscriber)).slice(4)).toEqual(['subscription.ended'])
})

test('cancelling after a failed charge keeps the period that was paid before', async () => {
  const subscriber = await subscribe(world, ours)
  await world.mollie.renew(getMollieId(subscriber))
  await world.mollie.drainWebhooks()
  const paid = await readPurchase(subscriber)
  await world.mollie.renew(getMollieId(subscriber), { fail: true })
  await world.mollie.drainWebhooks()
  expect(await readPurchase(subscriber)).toMatchObject({ status: 'past_due' })
  expect(parseCancelled(await cancelAsUser(world, subscriber))).toMatchObject({ cancel_at: paid?.current_period_end })
})

describe('a cancellation whose reply is lost', () => {
  async function cancelWithoutReply(shop: Tenant = ours) {
    const subscriber = await subscribe(world, shop)
    await until('no notice of the purchase waits', async () => {
      const { rowCount } = await world.database.query('select from pending_events')
      return rowCount === 0
    })
    world.mollie.onCall = async ({ method }, run) => {
      if (method !== 'DELETE') return run()
      await run()
      throw new DroppedCall()
    }
    const reply = await cancelAsUser(world, subscriber)
    world.mollie.onCall = undefined
    const refused = { status: 502, body: { error: 'processor_unavailable' }, headers: { 'retry-after': '2' } }
    expect(reply).toMatchObject(refused)
    return subscriber
  }

  test('can be repeated', async () => {
    const subscriber = await cancelWithoutReply()
    parseCancelled(await cancelAsUser(world, subscriber))
    await waitUntilCancelled(subscriber)
    expect((await eventTypes(subscriber)).slice(3)).toEqual(['subscription.cancel_scheduled'])
  })

  test('is visible after ten minutes if it is not repeated', async () => {
    const { shop, passes } = await openMollieShop(world)
    const subscriber = await cancelWithoutReply(shop)
    await passes('9m')
    expect(await readPurchase(subscriber, shop)).toMatchObject({ cancel_at_period_end: false })
    await passes('2m')
    expect(await readPurchase(subscriber, shop)).toMatchObject({ cancel_at_period_end: true })
  })
})

test('a purchase that is cancelled before its subscription is created at Mollie never gets one', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.slowMandates = true
  const subscriber = await subscribe(world, shop)
  const before = await readPurchase(subscriber, shop)
  expect(parseCancelled(await cancelAsUser(world, subscriber))).toMatchObject({ cancel_at: before?.current_period_end })
  await waitUntilCancelled(subscriber, shop)
  world.mollie.slowMandates = false
  world.mollie.forgetKeys()
  await passes('8d')
  expect(listSubscriptions(world, subscriber.id)).toEqual([])
  expect(await readPurchase(subscriber, shop)).toMatchObject({ status: 'active', cancel_at_period_end: true })
})

describe('when Mollie fails', () => {
  const refused = { requested: false, accepted: false, reason: null }
  const unknown = { requested: true, accepted: false, reason: 'too expensive' }
  const answers: [status: number, error: string, request: typeof refused | typeof unknown][] = [
    [401, 'processor_misconfigured', refused],
    [403, 'processor_misconfigured', refused],
    [429, 'processor_unavailable', unknown],
    [503, 'processor_unavailable', unknown],
  ]
  test.each(answers)('%i is returned as %s, and the call can be repeated at once', async (status, error, request) => {
    const subscriber = await subscribe(world, ours)
    const path = `/v2/customers/${subscriber.customer}/subscriptions/${getMollieId(subscriber)}`
    world.mollie.failNext(path, status)
    expect(await cancelAsUser(world, subscriber)).toMatchObject({ status: 502, body: { error } })
    expect(await readCancellationRequest(world, subscriber)).toEqual(request)
    parseCancelled(await cancelAsUser(world, subscriber))
  })
})
