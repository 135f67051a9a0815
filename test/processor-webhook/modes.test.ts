import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { call } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { at, getTenants, type Tenant } from '../support/tenants.ts'
import { MESSAGE } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

// An owner's test paywall and its live one each send to their own webhook endpoint, and each event has its mode.

const world = useTestWorld()
let file: PaywallFile
let testing: Tenant
let live: Tenant

beforeAll(async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const events = ['*', 'balance.changed']
  file = await fileOfBothModes({
    webhooks: [
      { url: `${world.receiver.url}/webhooks/test`, test: true, secret, events },
      { url: 'https://owner.example/live', test: false, events },
    ],
  })
  await world.apply(file)
  ;[testing, live] = getTenants(file) as [Tenant, Tenant]
})

/** Causes events of every kind: by a purchase, a credit and a ticket. */
async function causeEvents(place: Tenant): Promise<void> {
  const email = newEmail()
  await buy(world, { ...place, email })
  await world.stripe.drainWebhooks()
  const credited = await changeBalance(world, { email }, { paywallId: place.paywall.id, key: place.key })
  expect(credited).toMatchObject({ status: 200 })
  const guest = await call(world, at(place, 'support/ticket'), { body: { ...MESSAGE, customer_email: newEmail() } })
  expect(guest).toMatchObject({ status: 200 })
}

/** The deliveries of a paywall, and their endpoints. */
async function readDeliveries({ paywall }: Tenant) {
  const { rows } = await world.database.query<{ url: string; body: string }>(
    `select w.url, e.body from deliveries d join events e on e.id = d.event_id
       join webhook_endpoints w on w.id = d.endpoint_id where e.paywall_id = $1`,
    [paywall.id],
  )
  return rows.map(({ url, body }) => ({ url, event: JSON.parse(body) as { type: string; is_test: boolean } }))
}

test('each event goes only to the endpoint of its paywall’s mode, and has `is_test`', async () => {
  await causeEvents(testing)
  await causeEvents(live)
  for (const place of [testing, live]) {
    const isTest = place === testing
    const [endpoint] = file.webhooks.filter(({ is_test }) => is_test === isTest)
    const all = await readDeliveries(place)
    expect(new Set(all.map(({ event }) => event.type))).toEqual(
      new Set(['checkout.completed', 'subscription.created', 'payment.succeeded', 'balance.changed', 'ticket.created']),
    )
    for (const { url, event } of all) {
      expect({ url, is_test: event.is_test }, event.type).toEqual({ url: endpoint!.url, is_test: isTest })
    }
  }
})

test('the body of a webhook has `is_test` between `timestamp` and `data`', async () => {
  await causeEvents(testing)
  await world.database.query('delete from deliveries d using events e where e.id = d.event_id and e.paywall_id = $1', [
    live.paywall.id,
  ])
  await untilAllDelivered(world)
  const bodies = world.receiver.received
    .filter(({ path }) => path === '/webhooks/test')
    .map(({ body }) => JSON.parse(body))
  expect(bodies.length).toBeGreaterThan(4)
  for (const body of bodies) {
    expect(Object.keys(body)).toEqual(['id', 'type', 'timestamp', 'is_test', 'data'])
    expect(body).toMatchObject({ is_test: true, data: { paywall_id: testing.paywall.id } })
  }
})
