import { beforeAll, expect, test } from 'vitest'
import { eventsAbout, paySubscription, postWebhook, purchaseAtStripe } from '../support/stripe-purchase.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
/** A genuine event, byte for byte as Stripe would send it, that has not been delivered. */
let body: string
let paid: Awaited<ReturnType<typeof paySubscription>>

beforeAll(async () => {
  world.stripe.holdWebhooks()
  paid = await paySubscription(world)
  body = JSON.stringify(eventsAbout(world, paid.pageId).find(({ type }) => type === 'checkout.session.completed'))
})

const agoSeconds = (seconds: number) => new Date(Date.now() - seconds * 1000)

test.each<[string, () => ReturnType<typeof postWebhook>]>([
  ['an empty signature', () => postWebhook(world, body, { signature: '' })],
  ['a signature that is not one', () => postWebhook(world, body, { signature: 't=1,v1=00' })],
  ['only a time', () => postWebhook(world, body, { signature: `t=${Math.floor(Date.now() / 1000)}` })],
  ['an empty secret', () => postWebhook(world, body, { secret: '' })],
  ['a signature that is too old', () => postWebhook(world, body, { at: agoSeconds(310) })],
])('a webhook with %s is refused and changes nothing', async (_, forge) => {
  const calls = world.stripe.calls.length
  const reply = await forge()
  expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
  expect(world.stripe.calls).toHaveLength(calls)
  expect((await userState(world, paid.userId)).purchases).toEqual([])
  expect((await world.database.query('select from processor_events')).rowCount).toBe(0)
})

test('the same event with its genuine signature takes effect, even when it is 290 seconds old', async () => {
  const reply = await postWebhook(world, body, { at: agoSeconds(290) })
  expect(reply).toMatchObject({ status: 200, body: { received: true } })
  expect((await userState(world, paid.userId)).purchases).toMatchObject([purchaseAtStripe(world, paid.subscriptionId)])
})
