import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { type DeliveryRow, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { insertPendingEndpoints } from '../support/pending-endpoints.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })

afterEach(() => {
  world.neon.onStatement = undefined
})

test("many concurrent sweeps deliver each member's events once and in order", async () => {
  const mailbox = await openWebhookEndpoint(world)
  const members = await Promise.all(Array.from({ length: 6 }, () => mailbox.newMember()))
  const idsByMember = await Promise.all(members.map((member) => mailbox.addEvents(8, member)))

  await Promise.all(Array.from({ length: 6 }, () => runDeliveryCron(world)))

  const ids = mailbox.ids()
  expect(ids.toSorted()).toEqual(idsByMember.flat().toSorted())
  for (const own of idsByMember) expect(ids.filter((id) => own.includes(id))).toEqual(own)
})

test('an event waits for the earlier events of its member, even while they fail, but not for those of other members', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const [failing, fine] = [await mailbox.newMember(), await mailbox.newMember()]
  const [first, second, third] = await mailbox.addEvents(3, failing)
  const others = await mailbox.addEvents(3, fine)
  let failures = 0
  mailbox.answer = ({ headers }) => {
    if (headers['webhook-id'] !== second || failures === 2) return {}
    failures += 1
    return { status: 503 }
  }

  await Promise.all([runDeliveryCron(world), runDeliveryCron(world), mailbox.passes('6m')])

  const ids = mailbox.ids()
  expect(ids.filter((id) => !others.includes(id))).toEqual([first, second, second, second, third])
  expect(ids.filter((id) => others.includes(id))).toEqual(others)
  expect(ids.indexOf(others[2]!)).toBeLessThan(ids.lastIndexOf(second!))
})

test('events behind a failing one are not due, and are sent right after it', async () => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = () => ({ status: 500 })
  const ids = await mailbox.addEvents(3)
  await runDeliveryCron(world)
  await runDeliveryCron(world)
  const [, ...behind] = await mailbox.deliveries()
  for (const { due_in, attempts } of behind) expect([attempts, due_in]).toEqual([0, null])

  mailbox.answer = () => ({})
  await mailbox.passes('1m')
  expect(mailbox.ids()).toEqual([ids[0], ...ids])
})

test('a webhook endpoint that never answers times out after 15 seconds, and delays no other endpoint', async () => {
  const [silent, good] = [await openWebhookEndpoint(world), await openWebhookEndpoint(world)]
  const released = Promise.withResolvers<void>()
  silent.answer = async () => {
    await released.promise
    return {}
  }
  await Promise.all(Array.from({ length: 8 }, async () => silent.addEvents(1, await silent.newMember())))
  await good.addEvents(20)
  const startedAt = Date.now()

  const sweeping = runDeliveryCron(world)
  await until('the good webhook endpoint has all of its events', async () => good.ids().length === 20)
  expect(Date.now() - startedAt).toBeLessThan(10_000)
  expect(silent.ids()).toHaveLength(3)

  const failed = await until(
    'an attempt is given up',
    async () => (await silent.deliveries()).find(({ last_error }) => last_error !== null),
    25_000,
  )
  expect(Date.now() - startedAt).toBeGreaterThan(14_000)
  expect(failed).toMatchObject({ state: 'pending', last_status: null, last_error: 'no response within 15 s' })
  released.resolve()
  await sweeping
  await silent.passes('1m')
  expect(await silent.deliveries()).toSatisfy((rows: DeliveryRow[]) => rows.every(({ state }) => state === 'delivered'))
})

test('a consumer killed during an attempt leaves a lease, and the event is sent again when it ends', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const [first, second] = await mailbox.addEvents(2)
  const arrived = Promise.withResolvers<void>()
  mailbox.answer = async () => {
    arrived.resolve()
    await delay(60_000, undefined, { ref: false })
    return {}
  }
  const killed = runDeliveryCron(world).catch((error: Error) => error)
  await arrived.promise
  await world.workers.kill()
  await killed

  mailbox.answer = () => ({})
  await runDeliveryCron(world)
  expect(mailbox.ids()).toEqual([first])
  await mailbox.endLeases()
  await runDeliveryCron(world)
  expect(mailbox.ids()).toEqual([first, first, second])
  expect(await mailbox.deliveries()).toMatchObject([
    { state: 'delivered', attempts: 2 },
    { state: 'delivered', attempts: 1 },
  ])
})

test('an outcome that could not be recorded is recorded again, without sending the event again', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const ids = await mailbox.addEvents(2)
  let lost = 0
  world.neon.onStatement = async ({ query }, run) => {
    if (!query.includes('record_delivery') || lost === 2) return run()
    lost += 1
    if (lost === 2) await run()
    throw new ResponseLost()
  }

  await runDeliveryCron(world)

  expect(lost).toBe(2)
  expect(mailbox.ids()).toEqual(ids)
  expect(await mailbox.deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
})

test('a holder that lost its lease cannot record anything', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const [id] = await mailbox.addEvents()
  const attempts = [410, 200].map((status) => {
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    return { status, arrived, answered }
  })
  mailbox.answer = async () => {
    const { status, arrived, answered } = attempts[mailbox.ids().length - 1]!
    arrived.resolve()
    await answered.promise
    return { status }
  }
  const others = await Promise.all([openWebhookEndpoint(world), openWebhookEndpoint(world)])
  const othersAnswered = Promise.withResolvers<void>()
  for (const other of others) {
    other.answer = () => othersAnswered.promise.then(() => ({}))
    for (let member = 0; member < 2; member += 1) await other.addEvents(1, await other.newMember())
  }
  const slow = runDeliveryCron(world)
  await attempts[0]!.arrived.promise
  // A sweep that still has a slot would take over its own attempt.
  await until('the sweep has no slot left', async () => others.every((other) => other.ids().length === 2))
  await mailbox.endLeases()
  const next = runDeliveryCron(world)
  await attempts[1]!.arrived.promise
  attempts[0]!.answered.resolve()
  othersAnswered.resolve()
  await slow
  expect(await mailbox.deliveries()).toMatchObject([{ state: 'pending', attempts: 2, last_status: null }])
  attempts[1]!.answered.resolve()
  await next

  expect(mailbox.ids()).toEqual([id, id])
  expect(await mailbox.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, last_status: 200 }])
  const { rows } = await world.database.query('select disabled_at from webhook_endpoints where url = $1', [mailbox.url])
  expect(rows).toEqual([{ disabled_at: null }])
})

test('a sweep continues if an attempt ended while a lease found nothing', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const ids = await mailbox.addEvents(2)
  const answered = Promise.withResolvers<void>()
  mailbox.answer = () => answered.promise.then(() => ({}))
  world.neon.onStatement = async ({ query }, run) => {
    const result = await run()
    if (!query.includes('lease_deliveries') || mailbox.ids().length === 0) return result
    answered.resolve()
    await until('the attempt has ended', async () =>
      world.logs.some(({ message }) => message.includes(ids[0]!) && message.includes('"delivered"')),
    )
    return result
  }

  await runDeliveryCron(world)

  expect(mailbox.ids()).toEqual(ids)
})

test('one sweep sends all events of a member, however many webhook endpoints have nothing due', async () => {
  await insertPendingEndpoints(world.database, { count: 600, dueIn: '1 hour' })
  const mailbox = await openWebhookEndpoint(world)
  const ids = await mailbox.addEvents(20)
  await runDeliveryCron(world)
  expect(mailbox.ids()).toEqual(ids)
})

test('an idle sweep runs one statement', async () => {
  const before = world.neon.statements
  await runDeliveryCron(world)
  expect(world.neon.statements - before).toBe(1)
})
