import { afterEach, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import ROLES from '../../generated/roles.json' with { type: 'json' }
import {
  advanceClock,
  buy,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  open,
  pay,
  readPurchase,
  readState,
} from '../conformance/buyer.ts'
import { type Shop, useShops } from '../conformance/shop.ts'
import { heldWebhooks, sendWebhook, webhooksSince } from '../conformance/webhook.ts'
import { press } from '../support/checkout.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { until } from '../support/until.ts'

// Events whose purchase cannot be read are answered 2xx, stored, and applied as soon as it can be read. Tested with Polar, which
// disables an endpoint after ten failures, and whose events identify their purchase without an API call.

const getShop = useShops()

afterEach(() => {
  const { emulator, world } = getShop('polar')
  emulator.onCall = undefined
  world.neon.onStatement = undefined
})

/** Drops every call to the processor. Returns the number of calls, and a function that ends the outage. */
function startOutage({ emulator }: Shop) {
  let calls = 0
  emulator.onCall = async () => {
    calls += 1
    throw new DroppedCall()
  }
  return {
    calls: () => calls,
    end: () => {
      emulator.onCall = undefined
    },
  }
}

const pendingEvents = async ({ world }: Shop) => (await world.database.query('select * from pending_events')).rows
const PURCHASE_EVENTS = ['checkout.completed', 'payment.succeeded 999', 'subscription.created']

test('no webhook fails and no event is lost while the processor’s API is down for an hour', async () => {
  const shop = getShop('polar')
  const first = await buy(shop)
  const down = startOutage(shop)
  const sent = webhooksSince(shop)
  const statuses: number[] = []
  shop.emulator.holdWebhooks()
  const id = await getProcessorId(first)
  await shop.account.refund(id, 300)
  for (const minutes of [10, 20, 30]) {
    statuses.push(...(await shop.emulator.sendHeldWebhooks()))
    shop.emulator.holdWebhooks()
    await advanceClock(first, '20m')
    await shop.account.refund(id, minutes)
  }
  const others = [await buyDuringOutage(shop), await buyDuringOutage(shop)]
  statuses.push(...(await shop.emulator.sendHeldWebhooks()))
  expect(statuses.length).toBeGreaterThan(20)
  expect(sent().length).toBe(statuses.length)
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await newEvents(first)).toEqual([])

  down.end()
  expect(await advanceClock(first, '11m')).toEqual(
    [300, 10, 20, 30].map((amount) => `payment.refunded ${amount}`).toSorted(),
  )
  for (const buyer of others) {
    expect(await newEvents(buyer)).toEqual(PURCHASE_EVENTS)
    await expectStoredAsAtProcessor(buyer)
  }
  expect(await pendingEvents(shop)).toEqual([])
})

async function buyDuringOutage(shop: Shop) {
  startOutage(shop).end()
  const buyer = await open(shop)
  startOutage(shop)
  await press(buyer.checkoutUrl, 'pay')
  return buyer
}

test('a purchase is read after 2, 5, 15 and 30 seconds and then every minute, once for all its pending events', async () => {
  const shop = getShop('polar')
  const buyer = await buy(shop)
  const id = await getProcessorId(buyer)
  const webhooks = await heldWebhooks(shop, async () => {
    await shop.account.refund(id, 100)
    await shop.account.refund(id, 200)
  })
  await stopWakeUps(shop)
  const down = startOutage(shop)
  for (const webhook of webhooks) expect((await sendWebhook(shop, webhook)).status).toBe(200)
  const { world, paywall } = shop
  // From here on, all of them are due at the times of the first.
  await world.database.query('update pending_events set received_at = (select min(received_at) from pending_events)')
  const { rows } = await world.database.query('select received_at from pending_events limit 1')
  const receivedAt = rows[0].received_at.getTime()
  const reads: number[] = []
  let before = down.calls()
  for (const second of [1, 2, 4, 5, 14, 15, 29, 30, 89, 90, 149, 150, 3000]) {
    await world.clock.moveTo(paywall.id, new Date(receivedAt + second * 1000 + 500))
    const calls = down.calls() - before
    before = down.calls()
    if (calls > 0) reads.push(second)
    if (second <= 150) expect(calls, `${second} s`).toBeLessThan(2)
    else expect(calls).toBe(Math.floor((3000 - 150) / 60))
  }
  expect(reads).toEqual([2, 5, 15, 30, 90, 150, 3000])
  down.end()
  expect(await advanceClock(buyer, '1m')).toEqual(['payment.refunded 100', 'payment.refunded 200'])
  expect(await pendingEvents(shop)).toEqual([])
})

/** Makes queue messages fail as if they were lost, so that only the cron reads purchases. */
async function stopWakeUps(shop: Shop): Promise<void> {
  shop.world.neon.onStatement = async ({ query }, run) => {
    if (query.includes('take_pending_read')) throw new Error('the queue is lost')
    return run()
  }
}

test('a queue message causes a read of the purchase after two seconds, without a cron', async () => {
  const shop = getShop('polar')
  const buyer = await buy(shop)
  const [webhook] = await heldWebhooks(shop, async () => shop.account.refund(await getProcessorId(buyer), 100))
  const down = startOutage(shop)
  expect((await sendWebhook(shop, webhook!)).status).toBe(200)
  expect(await pendingEvents(shop)).toHaveLength(1)
  down.end()
  await until('the event is applied', async () => (await pendingEvents(shop)).length === 0)
  expect(await newEvents(buyer)).toEqual(['payment.refunded 100'])
})

test('a Worker that is killed between its 2xx and the read loses nothing', async () => {
  const shop = getShop('polar')
  const buyer = await open(shop)
  const webhooks = await heldWebhooks(shop, () => press(buyer.checkoutUrl, 'pay'))
  const down = startOutage(shop)
  for (const webhook of webhooks) expect((await sendWebhook(shop, webhook)).status).toBe(200)
  await shop.world.workers.kill()
  down.end()
  expect(await advanceClock(buyer, '2m')).toEqual(PURCHASE_EVENTS)
  await expectStoredAsAtProcessor(buyer)
  expect(await pendingEvents(shop)).toEqual([])
})

test('an event that arrives repeatedly while it is pending, and while it is applied, takes effect once', async () => {
  const shop = getShop('polar')
  const buyer = await buy(shop)
  const webhooks = await heldWebhooks(shop, async () => shop.account.refund(await getProcessorId(buyer), 100))
  const webhook = webhooks.find(({ body }) => JSON.parse(body).type === 'refund.created')!
  const down = startOutage(shop)
  for (let time = 0; time < 3; time++) expect((await sendWebhook(shop, webhook)).status).toBe(200)
  expect(await pendingEvents(shop)).toHaveLength(1)
  down.end()
  raceStatements(shop.world, 'store_purchase', 4)
  const replies = [sendWebhook(shop, webhook), sendWebhook(shop, webhook), sendWebhook(shop, webhook)]
  const [received, ...rest] = await Promise.all([advanceClock(buyer, '1m'), ...replies])
  expect(rest.map(({ status }) => status)).toEqual([200, 200, 200])
  expect([...received, ...(await newEvents(buyer))]).toEqual(['payment.refunded 100'])
  expect((await sendWebhook(shop, webhook)).status).toBe(200)
  expect(await newEvents(buyer)).toEqual([])
  expect(await pendingEvents(shop)).toEqual([])
})

test.each([
  ['polar', 200],
  // Its refunds do not name their purchase, so it must be looked up.
  ['stripe', 502],
] as const)(
  "an API of %s that hangs times out after four seconds, before the processor's own timeout",
  async (acquiring, status) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const [webhook] = await heldWebhooks(shop, async () => shop.account.refund(await getProcessorId(buyer), 100))
    const hanging = Promise.withResolvers<void>()
    shop.emulator.onCall = async (_, run) => {
      await hanging.promise
      return run()
    }
    const startedAt = Date.now()
    expect((await sendWebhook(shop, webhook!)).status).toBe(status)
    expect(Date.now() - startedAt).toBeLessThan(6_000)
    shop.emulator.onCall = undefined
    hanging.resolve()
    if (status === 502) expect((await sendWebhook(shop, webhook!)).status).toBe(200)
    expect(await advanceClock(buyer, '2m')).toEqual(['payment.refunded 100'])
  },
)

test('an event that can never be read is dropped after a week, which is logged as an error', async () => {
  const shop = getShop('polar')
  const buyer = await buy(shop)
  const [webhook] = await heldWebhooks(shop, async () => shop.account.refund(await getProcessorId(buyer), 100))
  startOutage(shop)
  expect((await sendWebhook(shop, webhook!)).status).toBe(200)
  await shop.world.database.query("update pending_events set received_at = received_at - interval '6 days 22 hours'")
  const logged = shop.world.logs.length
  await advanceClock(buyer, '1h')
  expect(await pendingEvents(shop)).toHaveLength(1)
  await advanceClock(buyer, '3h')
  expect(await pendingEvents(shop)).toEqual([])
  const errors = shop.world.logs.slice(logged).filter(({ level }) => level === 'error')
  expect(errors.map(({ message }) => JSON.parse(message))).toMatchObject([
    { message: 'pending event given up', event_id: webhook!.id, paywall_id: shop.paywall.id },
  ])
})

test('an event about something that the processor does not have stays pending for ten minutes, and is then dropped', async () => {
  const shop = getShop('polar')
  const buyer = await buy(shop)
  const [webhook] = await heldWebhooks(shop, async () => shop.account.renew(await getProcessorId(buyer)))
  const body = JSON.parse(webhook!.body)
  const gone = { ...body, type: 'subscription.updated', data: { ...body.data, id: crypto.randomUUID() } }
  const sent = { ...webhook!, id: crypto.randomUUID(), body: JSON.stringify(gone) }
  expect((await sendWebhook(shop, sent)).status).toBe(200)
  expect(await pendingEvents(shop)).toHaveLength(1)
  await shop.world.clock.advance(shop.paywall.id, '9m')
  expect(await pendingEvents(shop)).toHaveLength(1)
  await shop.world.clock.advance(shop.paywall.id, '2m')
  expect(await pendingEvents(shop)).toEqual([])
  const { rows } = await shop.world.database.query('select from processor_events where event_id = $1', [sent.id])
  expect(rows).toEqual([])
})

/** Whether a database function is one that the webhook Worker calls. */
const isWebhookFunction = (name: string) =>
  ROLES.find(({ env }) => env === 'processor-webhook')?.functions.includes(name) ?? false

test.each(['stripe', 'mollie', 'polar'] as const)('a webhook of %s costs two database calls', async (acquiring) => {
  const shop = getShop(acquiring)
  const buyer = await buy(shop)
  const webhooks = await heldWebhooks(shop, async () => shop.account.refund(await getProcessorId(buyer), 100))
  const statements: string[] = []
  shop.world.neon.onStatement = async ({ query }, run) => {
    statements.push(/release_\w+\.(\w+)/.exec(query)?.[1] ?? query)
    return run()
  }
  for (const webhook of webhooks) {
    statements.length = 0
    expect((await sendWebhook(shop, webhook)).status).toBe(200)
    expect(['read_account', 'read_account,store_purchase']).toContain(statements.filter(isWebhookFunction).join())
  }
  shop.world.neon.onStatement = undefined
  expect((await readState(buyer)).paid).toBe(true)
  expect(await readPurchase(buyer)).toMatchObject({ status: 'active' })
})

test('a browser that returns while the processor is down is redirected in time, and the event is applied later', async () => {
  const shop = getShop('polar')
  const buyer = await open(shop)
  shop.emulator.holdWebhooks()
  const down = startOutage(shop)
  await pay(buyer)
  expect(new Set(await shop.emulator.sendHeldWebhooks())).toEqual(new Set([200]))
  down.end()
  expect(await advanceClock(buyer, '1m')).toEqual(PURCHASE_EVENTS)
})
