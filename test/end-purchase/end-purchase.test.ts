import { beforeAll, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { Reply } from '../support/call.ts'
import { interruptOnce } from '../support/interrupt.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { livePaywallFile, monthly, paywallFile } from '../support/paywall-file.ts'
import { endPurchase } from '../support/purchase-calls.ts'
import { cancelAsUser, type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const once = { slug: 'once', label: 'Once', currency: 'USD', amount: 199, processorPrice: 'price_once' }

const world = useTestWorld({ file: { paywall: { prices: [monthly(), once] } } })
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

const ended = { status: 409, body: { error: 'purchase_ended', status: 'canceled' } }
const unknown = { status: 404, body: { error: 'purchase_not_found' } }

const statusAtStripe = ({ subscriptionId }: Subscriber) =>
  world.stripe.subscriptions.find(({ id }) => id === subscriptionId)?.status

const deletions = ({ subscriptionId }: Subscriber) =>
  world.stripe.calls.filter(({ method, path }) => method === 'DELETE' && path === `/v1/subscriptions/${subscriptionId}`)

const purchaseOf = ({ id }: Subscriber) => userState(world, id).then(({ purchases: [purchase] }) => purchase)

async function eventTypes({ id }: Subscriber): Promise<string[]> {
  await world.stripe.drainWebhooks()
  return (await ownerEvents(world, id)).map(({ type }) => type)
}

test('ends a subscription here and at its processor in the same request, and shows it as user does', async () => {
  const subscriber = await subscribe(world, ours)
  const reply = await endPurchase(world, subscriber, { body: { reason: 'pays by invoice now' } })
  expect(reply).toMatchObject({ status: 200, body: { stopped: true, purchase: { status: 'canceled' } } })
  expect(statusAtStripe(subscriber)).toBe('canceled')
  // Stripe's own time of the end, in whole seconds, replaces ours.
  const stored = { ...Object(reply.body).purchase, canceled_at: expect.any(String) }
  expect(await purchaseOf(subscriber)).toEqual(stored)
  expect(await userState(world, subscriber.id)).toMatchObject({ paid: false })
  const { rows } = await world.database.query('select cancellation_reason from purchases where id = $1', [
    subscriber.purchaseId,
  ])
  expect(rows).toEqual([{ cancellation_reason: 'pays by invoice now' }])
  const events = await eventTypes(subscriber)
  expect(events.filter((type) => type === 'subscription.ended')).toHaveLength(1)
  expect(events).not.toContain('payment.refunded')
  expect(await endPurchase(world, subscriber)).toMatchObject(ended)
})

test('without a note, that of the cancellation before is kept; the body may be missing', async () => {
  const subscriber = await subscribe(world, ours)
  await cancelAsUser(world, subscriber)
  await world.stripe.drainWebhooks()
  expect(await endPurchase(world, subscriber, { method: 'POST', body: undefined })).toMatchObject({ status: 200 })
  const { rows } = await world.database.query('select cancellation_reason from purchases where id = $1', [
    subscriber.purchaseId,
  ])
  expect(rows).toEqual([{ cancellation_reason: 'too expensive' }])
})

test('a one-time purchase ends without a call to its processor', async () => {
  const buyer = await subscribe(world, ours, 'once')
  const calls = world.stripe.calls.length
  expect(await endPurchase(world, buyer)).toMatchObject({
    status: 200,
    body: { stopped: true, purchase: { status: 'canceled', interval: null } },
  })
  expect(world.stripe.calls).toHaveLength(calls)
  expect(await userState(world, buyer.id)).toMatchObject({ paid: false })
})

test.each<[string, unknown]>([
  ['Invalid reason', { reason: '' }],
  ['Invalid reason', { reason: 'x'.repeat(501) }],
  ['Invalid reason', { reason: 1 }],
  ['invalid_body', []],
  ['invalid_json', '{'],
])('a bad body is 400 %s and ends nothing', async (error, body) => {
  const subscriber = await subscribe(world, ours)
  expect(await endPurchase(world, subscriber, { body })).toMatchObject({ status: 400, body: { error } })
  expect(await purchaseOf(subscriber)).toMatchObject({ status: 'active' })
})

test("a purchase that is unknown, another owner's or on another paywall of the owner is 404", async () => {
  const subscriber = await subscribe(world, ours)
  for (const purchaseId of ['f75fbdb7-07bd-4cf3-8b99-f7dda5082e0e', 'x', subscriber.subscriptionId]) {
    expect(await endPurchase(world, { purchaseId })).toMatchObject(unknown)
  }
  const foreign = tenant(await paywallFile())
  const live = tenant(await livePaywallFile())
  for (const other of [foreign, live]) {
    await world.apply(other.file)
    expect(await endPurchase({ ...world, ...other }, subscriber)).toMatchObject(unknown)
    expect(await endPurchase(world, subscriber, { key: other.key })).toMatchObject({
      body: { error: expect.stringMatching(/^(Access denied|Invalid API key)/) },
    })
  }
  expect(await purchaseOf(subscriber)).toMatchObject({ status: 'active' })
  expect(deletions(subscriber)).toEqual([])
})

test('a user cannot end a purchase', async () => {
  const subscriber = await subscribe(world, ours)
  const { token } = subscriber
  const reply = await endPurchase(world, subscriber, { key: undefined, token } as never)
  expect(reply).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
  expect(await purchaseOf(subscriber)).toMatchObject({ status: 'active' })
})

test('of 50 calls at once one ends the purchase, and its processor is called once', async () => {
  const subscriber = await subscribe(world, ours)
  const replies = await Promise.all(Array.from({ length: 50 }, () => endPurchase(world, subscriber)))
  const count = (status: number) => replies.filter((reply: Reply) => reply.status === status).length
  expect([count(200), count(409)]).toEqual([1, 49])
  expect(deletions(subscriber)).toHaveLength(1)
  const events = await eventTypes(subscriber)
  expect(events.filter((type) => type === 'subscription.ended')).toHaveLength(1)
})

test('while its processor is down, the purchase has ended here, and the processor follows later', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.onCall = async () => {
    throw new DroppedCall()
  }
  expect(await endPurchase(world, subscriber)).toMatchObject({
    status: 200,
    body: { stopped: false, purchase: { status: 'canceled' } },
  })
  world.stripe.onCall = undefined
  expect([await userState(world, subscriber.id), statusAtStripe(subscriber)]).toMatchObject([{ paid: false }, 'active'])
  await world.clock.advance(world.paywall.id, '2m')
  expect(statusAtStripe(subscriber)).toBe('canceled')
})

// It comes last: a clock waits for what a killed Worker held.
test('a crash before the processor is called: reconcile ends it there', async () => {
  const subscriber = await subscribe(world, ours)
  const call = `/v1/subscriptions/${subscriber.subscriptionId}`
  const crashed = interruptOnce(world, { call, method: 'DELETE' }, 'before', () => world.workers.kill())
  await expect(endPurchase(world, subscriber)).rejects.toThrow()
  await crashed
  expect(await endPurchase(world, subscriber)).toMatchObject(ended)
  expect(statusAtStripe(subscriber)).toBe('active')
  await world.clock.advance(world.paywall.id, '2m')
  await until('Stripe has ended it', async () => statusAtStripe(subscriber) === 'canceled')
})
