import { randomUUID } from 'node:crypto'
import Stripe from 'stripe'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { press } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { eventsAbout, paySubscription, postWebhook } from '../support/stripe-purchase.ts'
import { useTestWorld } from '../support/world.ts'

const SECRET_KEY = 'sk_test_shared_by_two_paywalls'

let stripe: Stripe

const account = (webhookSecret: string) => ({
  processor: { acquiring: 'stripe', credentials: { secretKey: SECRET_KEY, webhookSecret } },
})
const world = useTestWorld({ file: { paywalls: [account('whsec_one'), account('whsec_other')] } })
beforeAll(async () => {
  const { hostname: host, port } = new URL(world.stripe.url)
  stripe = new Stripe(SECRET_KEY, { host, port, protocol: 'http', telemetry: false })
})
beforeEach(() => world.stripe.holdWebhooks())

/** The number of rows in each table that webhooks write. */
async function countRows(): Promise<unknown> {
  const { rows } = await world.database.query(`select
    (select count(*)::int from purchases) as purchases, (select count(*)::int from payments) as payments,
    (select count(*)::int from events) as events, (select count(*)::int from ledger) as ledger`)
  return rows[0]
}

/** Sells a subscription in the same Stripe account without us, with metadata that may look like ours. */
async function sellWithoutUs(metadata?: Stripe.MetadataParam): Promise<string> {
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_monthly' }],
    success_url: 'https://shop.example/thanks',
    customer_email: 'somebody@example.com',
    ...(metadata && { metadata, subscription_data: { metadata } }),
  })
  await press(session.url ?? '', 'pay')
  return session.id
}

test('a purchase is stored for the paywall that sold it, not for another one of the same Stripe account', async () => {
  const paid = await paySubscription(world)
  for (const { id } of eventsAbout(world, paid.pageId, paid.subscriptionId)) {
    expect(await world.stripe.resend(id)).toEqual([200, 200])
  }
  const events = await ownerEvents(world, paid.userId)
  expect(events).toHaveLength(3)
  expect(events.filter(({ data }) => data.paywall_id !== world.paywall.id)).toEqual([])
  const { rows } = await world.database.query('select paywall_id from purchases where user_id = $1', [paid.userId])
  expect(rows).toEqual([{ paywall_id: world.paywall.id }])
})

test.each<[string, () => Promise<Stripe.MetadataParam | undefined>]>([
  ['without our metadata', async () => undefined],
  ['of an unknown checkout', async () => ({ checkout_id: randomUUID(), paywall_id: world.paywall.id })],
  [
    'that names the checkout of another paywall',
    async () => {
      const { subscriptionId } = await paySubscription(world)
      const { metadata } = await stripe.subscriptions.retrieve(subscriptionId)
      return { ...metadata, paywall_id: world.file.paywalls[1]!.id }
    },
  ],
  ['with malformed metadata', async () => ({ checkout_id: "'; drop table checkouts", paywall_id: '1' })],
])('a sale %s is answered 2xx and stores nothing', async (_, metadata) => {
  const before = await countRows()
  const session = await sellWithoutUs(await metadata())
  const events = eventsAbout(world, session)
  expect(events.map(({ type }) => type)).toContain('checkout.session.completed')
  for (const { id } of events) expect(await world.stripe.resend(id)).toEqual([200, 200])
  expect(await countRows()).toEqual(before)
})

test.each([
  'customer.created',
  'checkout.session.expired',
  'invoice.finalized',
  'v2.core.event_destination.ping',
  'something.entirely.new',
])('an event of type %s is answered 2xx and causes no call to Stripe', async (type) => {
  const [before, calls] = [await countRows(), world.stripe.calls.length]
  const event = { id: `evt_${randomUUID()}`, object: 'event', type, created: 1, data: { object: { id: 'x_1' } } }
  expect(await postWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200, body: { received: true } })
  expect(world.stripe.calls).toHaveLength(calls)
  expect(await countRows()).toEqual(before)
})
