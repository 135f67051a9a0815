import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { buy } from '../support/checkout.ts'
import { findSequenceErrors, ownerEvents, untilAllDelivered } from '../support/owner-events.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { person, type Tenant, tenant } from '../support/tenants.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

const Change = z.object({ type: z.string(), count: z.int(), delta: z.int(), reason: z.string() })

const world = useTestWorld()
/** Owners whose webhook endpoint subscribes to `balance.changed` by name, or only to `*`, which does not include it. */
let subscribed: Tenant
let wildcardOnly: Tenant

beforeAll(async () => {
  const secret = world.file.webhooks[0]!.secret!
  const ownerWith = async (events: string[]) => {
    const webhooks = [{ url: `${world.receiver.url}/webhooks/${events.length}`, secret, events }]
    const owner = tenant(await paywallFile({ webhooks }))
    await world.apply(owner.file)
    return owner
  }
  subscribed = await ownerWith(['*', 'balance.changed'])
  wildcardOnly = await ownerWith(['*'])
})

/** The options of a call by one of these owners. */
const asOwner = ({ paywall, key }: Tenant) => ({ paywallId: paywall.id, key })

const changesAbout = async (userId: string) =>
  (await ownerEvents(world, userId))
    .filter(({ type }) => type === 'balance.changed')
    .map(({ data }) => Change.parse(data.balance))

test('an owner that subscribes by name gets an event for each change, in order, with its cause', async () => {
  const { id: user_id } = await person(world, subscribed)
  await changeBalance(world, { user_id, amount: 5 }, asOwner(subscribed))
  await changeBalance(world, { user_id, op: 'debit', amount: 15 }, asOwner(subscribed))
  await changeBalance(world, { user_id, op: 'debit' }, asOwner(subscribed))
  await changeBalance(world, { user_id, type: 'premium', amount: 2 }, asOwner(subscribed))
  await withdraw(world, { paywall_id: subscribed.paywall.id, user_id, token_type: 'premium' }, { key: subscribed.key })

  expect(await changesAbout(user_id)).toEqual([
    { type: 'standard', count: 10, delta: 10, reason: 'top_up' },
    { type: 'standard', count: 15, delta: 5, reason: 'credit' },
    { type: 'standard', count: 0, delta: -15, reason: 'debit' },
    { type: 'premium', count: 2, delta: 2, reason: 'credit' },
    { type: 'premium', count: 1, delta: -1, reason: 'debit' },
  ])
  expect(findSequenceErrors(await ownerEvents(world, user_id))).toEqual([])
})

test("a purchase emits an event for the price's tokens", async () => {
  const { userId } = await buy(world, subscribed)
  await world.stripe.drainWebhooks()
  expect(await changesAbout(userId)).toEqual([{ type: 'standard', count: 100, delta: 100, reason: 'plan' }])
  expect(findSequenceErrors(await ownerEvents(world, userId))).toEqual([])
})

test('40 concurrent changes emit one event each, in the order in which they happened', async () => {
  const { id: user_id } = await person(world, subscribed)
  const change = (_: unknown, index: number) =>
    changeBalance(world, { user_id, op: index % 2 === 0 ? 'credit' : 'debit', amount: 1 }, asOwner(subscribed))
  const replies = await Promise.all(Array.from({ length: 40 }, change))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const events = await ownerEvents(world, user_id)
  expect(findSequenceErrors(events)).toEqual([])
  const counts = (await changesAbout(user_id)).map(({ count }) => count)
  const deltas = (await changesAbout(user_id)).map(({ delta }) => delta)
  expect(counts).toHaveLength(41)
  expect(counts).toEqual(deltas.map((_, index) => deltas.slice(0, index + 1).reduce((sum, delta) => sum + delta, 0)))
})

test('a change without subscribers writes no event, and uses no sequence number', async () => {
  const { id: user_id } = await person(world, wildcardOnly)
  await changeBalance(world, { user_id }, asOwner(wildcardOnly))
  await untilAllDelivered(world)
  const { rows } = await world.database.query('select from events where user_id = $1', [user_id])
  expect(rows).toEqual([])
  const { userId } = await buy(world, wildcardOnly)
  await world.stripe.drainWebhooks()
  const events = await ownerEvents(world, userId)
  expect(findSequenceErrors(events)).toEqual([])
  expect(events.map(({ type }) => type)).not.toContain('balance.changed')
})
