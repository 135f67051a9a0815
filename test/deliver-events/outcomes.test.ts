import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'
import type { ReceiverResponse } from '../../dev/world/pages/receiver.ts'
import { seal } from '../../lib/crypto/seal.ts'
import { type DeliveryRow, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { switchMode } from '../support/switch-mode.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })

test('an event arrives once, as stored and signed, without a queue message', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const [id] = await mailbox.addEvents()

  await Promise.all([runDeliveryCron(world), runDeliveryCron(world)])

  const [arrived, ...more] = mailbox.received()
  expect(more).toEqual([])
  expect(arrived?.headers).toMatchObject({
    'webhook-id': id,
    'content-type': 'application/json',
    'user-agent': expect.stringContaining('paywall'),
  })
  expect(new Webhook(mailbox.secret).verify(arrived!.body, arrived!.headers)).toMatchObject({ sequence: 1 })
  expect(await mailbox.deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, last_status: 200 }])
})

test('both secrets sign during a rotation, and only the new one afterwards', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const previous = `whsec_${randomBytes(32).toString('base64')}`
  const sealed = await seal(previous, world.secrets.WEBHOOK_SECRETS_KEY, `webhook:${mailbox.url}`)
  const rotate = (validFor: string) =>
    world.database.query(
      `update webhook_endpoints set previous_secret = $1, previous_secret_until = now() + $2::interval where url = $3`,
      [sealed, validFor, mailbox.url],
    )

  await rotate('1 hour')
  await mailbox.addEvents()
  await runDeliveryCron(world)
  await rotate('-1 second')
  await mailbox.addEvents()
  await runDeliveryCron(world)

  const [during, after] = mailbox.received()
  for (const secret of [mailbox.secret, previous]) new Webhook(secret).verify(during!.body, during!.headers)
  new Webhook(mailbox.secret).verify(after!.body, after!.headers)
  expect(() => new Webhook(previous).verify(after!.body, after!.headers)).toThrow('No matching signature')
})

describe('a failed attempt is retried', () => {
  const MINUTE = 60
  const HOUR = 60 * MINUTE
  const schedule = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

  test('on the schedule, with the same id and a fresh timestamp, until the delivery fails for good', async () => {
    const mailbox = await openWebhookEndpoint(world)
    const [first, second] = await mailbox.addEvents(2)
    mailbox.answer = ({ headers }) => ({ status: headers['webhook-id'] === first ? 500 : 200 })

    await runDeliveryCron(world)
    let sinceAttempt = 0
    for (const [index, seconds] of schedule.entries()) {
      const [delivery] = await mailbox.deliveries()
      expect(delivery).toMatchObject({ state: 'pending', attempts: index + 1, last_error: 'answered 500' })
      const wait = sinceAttempt + delivery!.due_in
      expect(wait).toBeGreaterThan(seconds * 0.9 - 5)
      expect(wait).toBeLessThanOrEqual(seconds * 1.1)
      const minutes = Math.ceil(delivery!.due_in / MINUTE)
      await mailbox.passes(`${minutes}m`)
      sinceAttempt = minutes * MINUTE - delivery!.due_in
    }

    expect(await mailbox.deliveries()).toMatchObject([
      { state: 'failed', attempts: 10, last_status: 500 },
      { state: 'delivered', attempts: 1 },
    ])
    expect(mailbox.ids()).toEqual([...Array(10).fill(first), second])
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
  })

  test.each<[string, ReceiverResponse, number, number]>([
    ['429 with seconds', { status: 429, headers: { 'retry-after': '3000' } }, 2_990, 3_000],
    [
      '503 with a date',
      { status: 503, headers: { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() } },
      6_900,
      7_200,
    ],
    [
      '429 with a week, which is capped at a day',
      { status: 429, headers: { 'retry-after': '604800' } },
      86_390,
      86_400,
    ],
    ['429 with less than our own delay', { status: 429, headers: { 'retry-after': '1' } }, 0, 5.5],
    ['503 with nonsense', { status: 503, headers: { 'retry-after': 'soon' } }, 0, 5.5],
    ['500, whose Retry-After is ignored', { status: 500, headers: { 'retry-after': '3000' } }, 0, 5.5],
    ['a redirect, which is not followed', { status: 302, headers: { location: '/webhooks/elsewhere' } }, 0, 5.5],
  ])('%s', async (_case, answer, earliest, latest) => {
    const mailbox = await openWebhookEndpoint(world)
    mailbox.answer = () => answer
    await mailbox.addEvents()

    await runDeliveryCron(world)

    const [delivery] = await mailbox.deliveries()
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_status: answer.status })
    expect(delivery!.due_in).toBeGreaterThan(earliest)
    expect(delivery!.due_in).toBeLessThanOrEqual(latest)
    expect(world.receiver.received.filter(({ path }) => path === '/webhooks/elsewhere')).toEqual([])
  })
})

test('410 disables the webhook endpoint; pending events are kept, and delivered in order once it is enabled again', async () => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = () => ({ status: 410 })
  const ids = await mailbox.addEvents(2)

  await runDeliveryCron(world)
  await mailbox.passes('1d')
  await runDeliveryCron(world)

  expect(mailbox.ids()).toEqual(ids.slice(0, 1))
  expect(await mailbox.deliveries()).toMatchObject([
    { state: 'pending', attempts: 1, last_status: 410 },
    { state: 'pending', attempts: 0 },
  ])

  mailbox.answer = () => ({})
  await world.database.query('update webhook_endpoints set disabled_at = null where url = $1', [mailbox.url])
  await runDeliveryCron(world)
  expect(mailbox.ids()).toEqual([ids[0], ...ids])
})

/** A member's balance before any credit. */
const TOPPED_UP = 10

test('events from the time when a webhook endpoint is disabled are never sent there, not even once it is enabled again', async () => {
  const mailbox = await openWebhookEndpoint(world)
  await world.apply({ ...mailbox.file, webhooks: [] })
  await mailbox.credit()
  await world.apply(mailbox.file)
  await mailbox.credit()
  const counts = () => mailbox.received().map(({ body }) => JSON.parse(body).data.balance.count)
  await until('the second credit arrives', async () => counts().includes(TOPPED_UP + 2))
  expect(counts()).toEqual([TOPPED_UP + 2])
})

test('a huge response does not fail a delivery', async () => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = () => ({ body: 'x'.repeat(20_000_000) })
  await mailbox.addEvents(2)
  await runDeliveryCron(world)
  expect(await mailbox.deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
})

test('a connection that breaks after the headers of a 200 is not a failed attempt', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 1_000 })
    response.write('so far', () => response.destroy())
  })
  const mailbox = await openWebhookEndpoint(world, { url: `${await listen(server, 0)}/webhooks` })
  await mailbox.addEvents()
  await runDeliveryCron(world)
  expect(await mailbox.deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, last_status: 200 }])
  await close(server)
})

test('a local address of a live paywall and a private address are refused, and other endpoints get their events', async () => {
  const [live, local, good] = await Promise.all([
    openWebhookEndpoint(world),
    openWebhookEndpoint(world),
    openWebhookEndpoint(world),
  ])
  const [, [other]] = await Promise.all([live.addEvents(), local.addEvents(), good.addEvents()])
  await switchMode(world, live.file.paywalls[0]!.id, false)
  await world.database.query(
    `update webhook_endpoints set url = 'https://10.0.0.1/' where id = (select endpoint_id from deliveries where event_id = $1)`,
    [other],
  )

  await runDeliveryCron(world)

  for (const mailbox of [live, local]) {
    const [delivery] = await mailbox.deliveries()
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_status: null })
    expect(delivery!.last_error).toMatch(/^address refused: /)
    expect(mailbox.received()).toEqual([])
  }
  expect(good.ids()).toHaveLength(1)
})

test("an address on a paywall's own domain is refused, however it is written", async () => {
  const domain = `pay-${randomBytes(4).toString('hex')}.example`
  await world.apply(await paywallFile({ paywall: { domain } }))
  for (const host of [domain, `${domain.toUpperCase()}.`]) {
    const mailbox = await openWebhookEndpoint(world)
    await mailbox.addEvents()
    await world.database.query('update webhook_endpoints set url = $1 where url = $2', [
      `https://${host}:8443/x`,
      mailbox.url,
    ])
    await runDeliveryCron(world)
    const [{ last_error }] = (await mailbox.deliveries()) as [DeliveryRow]
    expect(last_error, host).toBe(`address refused: ${domain} is a host of the service itself`)
  }
})

test('a refused connection is a failed attempt', async () => {
  const gone = await openWebhookEndpoint(world, { url: 'http://127.0.0.1:9/webhooks' })
  await gone.addEvents()
  await runDeliveryCron(world)
  expect(await gone.deliveries()).toMatchObject([{ state: 'pending', attempts: 1, last_error: 'connection failed' }])
  expect(JSON.stringify(world.logs)).not.toContain('whsec_')
})
