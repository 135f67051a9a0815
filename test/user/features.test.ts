import { expect, test } from 'vitest'
import * as z from 'zod'
import { call } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { type FileJson, monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import { at, atNewPaywall, person, type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const once: FileJson = { slug: 'once', label: 'Once', currency: 'JPY', amount: 3000, processorPrice: 'price_once' }

const world = useTestWorld()

/** A paywall that sells these prices, and a function that edits them and returns what is sold afterwards. */
async function shop(written: FileJson[]) {
  const ours: Tenant = await atNewPaywall(world, { prices: written })
  const edit = async (next: FileJson[]) => {
    const { prices } = tenant(await paywallFile({ paywall: { id: ours.paywall.id, prices: next } })).paywall
    await world.apply({ ...ours.file, paywalls: [{ ...ours.paywall, prices }] })
    return prices
  }
  return { ours, edit }
}

const State = z.object({
  features: z.array(z.string()),
  purchases: z.array(z.object({ price_slug: z.string(), features: z.array(z.string()) })),
})

async function readState(ours: Tenant, email: string) {
  const reply = await call(world, `${at(ours, 'user')}?email=${email}`, { key: ours.key })
  return State.parse(reply.body)
}

test('a price has its features, in the order of the file', async () => {
  const { ours } = await shop([monthly({ features: ['sync', 'export'] }), yearly()])
  const { body } = await call(world, at(ours, 'bootstrap'))
  expect(body).toMatchObject({ prices: [{ features: ['sync', 'export'] }, { features: [] }] })
})

test('a user has the features of all purchases that give access, sorted and without duplicates', async () => {
  const { ours } = await shop([monthly({ features: ['sync', 'export'] }), { ...once, features: ['export', 'badge'] }])
  const email = newEmail()
  const { paywall, key } = ours
  await buy(world, { paywall, key, email, slug: 'once' })
  await buy(world, { paywall, key, email })
  const { features, purchases } = await readState(ours, email)
  expect(features).toEqual(['badge', 'export', 'sync'])
  expect(purchases).toEqual([
    { price_slug: 'monthly', features: ['sync', 'export'] },
    { price_slug: 'once', features: ['export', 'badge'] },
  ])
  const { token } = await person(world, ours, email)
  expect((await call(world, at(ours, 'bootstrap'), { token })).body).toMatchObject({ user: { features } })
})

test('a purchase without access gives no features, and still shows those of its price', async () => {
  const { ours } = await shop([monthly({ features: ['sync'] })])
  const email = newEmail()
  world.stripe.holdWebhooks()
  const { userId } = await buy(world, { paywall: ours.paywall, key: ours.key, email })
  await world.stripe.sendHeldWebhooks(() => []) // later ones would restore Stripe's state
  await world.database.query(
    `update purchases set status = 'past_due', past_due_since = now() - interval '8 days' where user_id = $1`,
    [userId],
  )
  expect(await readState(ours, email)).toEqual({
    features: [],
    purchases: [{ price_slug: 'monthly', features: ['sync'] }],
  })
})

test('a user without purchases has no features', async () => {
  const { ours } = await shop([monthly({ features: ['sync'] })])
  const { email } = await person(world, ours)
  expect((await readState(ours, email)).features).toEqual([])
})

test('a feature that is added later also applies to earlier purchases, at any amount', async () => {
  const { ours, edit } = await shop([monthly({ features: ['sync'] })])
  const email = newEmail()
  await buy(world, { paywall: ours.paywall, key: ours.key, email })
  const [added] = await edit([monthly({ features: ['sync', 'export'] })])
  expect(added?.id, 'the price is the same').toBe(ours.paywall.prices[0]?.id)
  expect((await readState(ours, email)).features).toEqual(['export', 'sync'])

  await edit([monthly({ amount: 12, features: ['badge'] })])
  expect((await readState(ours, email)).features, 'the new price of that slug').toEqual(['badge'])

  await edit([yearly()])
  expect((await readState(ours, email)).features, 'as it was last sold to this user').toEqual(['export', 'sync'])
})

test('the event of a completed checkout has the features of the one-time purchase', async () => {
  const { ours } = await shop([{ ...once, features: ['badge', 'export'] }])
  const { userId } = await buy(world, { paywall: ours.paywall, key: ours.key, email: newEmail(), slug: 'once' })
  const events = await ownerEvents(world, userId)
  const completed = events.find(({ type }) => type === 'checkout.completed')
  expect(completed?.data).toMatchObject({ checkout: { features: ['badge', 'export'] } })
})

test('an event has the features of its subscription', async () => {
  const { ours } = await shop([monthly({ features: ['sync', 'export'] })])
  const { userId } = await buy(world, { paywall: ours.paywall, key: ours.key, email: newEmail() })
  const events = await ownerEvents(world, userId)
  const created = events.find(({ type }) => type === 'subscription.created')
  expect(created?.data.subscription).toMatchObject({ features: ['sync', 'export'] })
})
