import { beforeEach, describe, expect, test } from 'vitest'
import { interruptOnce } from '../support/interrupt.ts'
import { openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })

const logged = (message: string) =>
  world.logs
    .map((line) => JSON.parse(line.message) as Record<string, unknown>)
    .filter((line) => line.message === message)

test('a failed attempt is logged with event, webhook endpoint, attempt and the time of the next one', async () => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = () => ({ status: 500 })
  const [id] = await mailbox.addEvents()
  await runDeliveryCron(world)

  const { rows } = await world.database.query<{ endpoint_id: string; next_attempt_at: Date }>(
    'select endpoint_id, next_attempt_at from deliveries where event_id = $1',
    [id],
  )
  const [line, ...more] = logged('not delivered')
  expect(more).toEqual([])
  expect(line).toMatchObject({ event_id: id, endpoint_id: rows[0]!.endpoint_id, attempts: 1, cause: 'answered 500' })
  const difference = new Date(String(line!.next_attempt_at)).getTime() - rows[0]!.next_attempt_at.getTime()
  expect(Math.abs(difference)).toBeLessThan(1_000)
})

describe('the cron', () => {
  // Deliveries that the previous test left to be retried would become due during these tests.
  beforeEach(async () => {
    await world.database.query('delete from deliveries')
    world.logs.splice(0)
  })

  test('logs how long the oldest delivery has been due, and how many attempts it made; nothing if nothing is due', async () => {
    const mailbox = await openWebhookEndpoint(world)
    await mailbox.addEvents(3)
    await runDeliveryCron(world)
    await runDeliveryCron(world)

    await expect.poll(() => logged('deliveries attempted')).toMatchObject([{ level: 'info', attempts: 3 }])
    const [line, ...more] = logged('deliveries are due')
    expect(more).toEqual([])
    expect(line).toMatchObject({ level: 'info' })
    expect(line!.oldest_due_seconds).toBeGreaterThanOrEqual(0)
    expect(line!.oldest_due_seconds).toBeLessThan(5)
    expect(logged('deliveries are late')).toEqual([])
  })

  test('warns of deliveries that are late, even if the sweep then fails', async () => {
    const mailbox = await openWebhookEndpoint(world)
    await mailbox.addEvents()
    await world.database.query("update deliveries set next_attempt_at = now() - interval '20 seconds'")
    const failing = expect(runDeliveryCron(world)).rejects.toThrow('the cron of deliver-events')
    await Promise.all([failing, interruptOnce(world, { statement: 'lease_deliveries' }, 'before')])

    expect(mailbox.ids()).toEqual([])
    await expect.poll(() => logged('deliveries are late')).toMatchObject([{ level: 'warn' }])
    const [line] = logged('deliveries are late')
    expect(line!.oldest_due_seconds).toBeGreaterThan(19)
    expect(line!.oldest_due_seconds).toBeLessThan(40)
  })
})

test.each([
  [200, 'delivered'],
  [500, 'not delivered'],
])('an attempt answered %i is logged as %s, even if the response to recording it was lost', async (status, message) => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = () => ({ status })
  const [id] = await mailbox.addEvents()
  const interrupted = interruptOnce(world, { statement: 'record_delivery' }, 'after')
  await runDeliveryCron(world)
  await interrupted

  const lines = world.logs.map((line) => JSON.parse(line.message) as Record<string, unknown>)
  const next_attempt_at = message === 'delivered' ? undefined : expect.any(String)
  const about = lines.filter(({ event_id }) => event_id === id)
  expect(about.map((line) => ({ message: line.message, next_attempt_at: line.next_attempt_at }))).toEqual([
    { message, next_attempt_at },
  ])
})
