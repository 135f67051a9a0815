import { afterAll, beforeAll, expect, test } from 'vitest'
import { interruptOnce } from '../support/interrupt.ts'
import { openMailbox, sweep } from '../support/mailbox.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ inventsEvents: true })
})
afterAll(() => world.close())

const logged = (message: string) =>
  world.logs
    .map((line) => JSON.parse(line.message) as Record<string, unknown>)
    .filter((line) => line.message === message)

test('a failed attempt is logged with event, webhook endpoint, attempt and the time of the next one', async () => {
  const mailbox = await openMailbox(world)
  mailbox.answer = () => ({ status: 500 })
  const [id] = await mailbox.tell()
  await sweep(world)

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

test('the cron logs how long the oldest delivery has been due, once and only if that is long', async () => {
  const mailbox = await openMailbox(world)
  await mailbox.tell(3)
  await sweep(world)
  await sweep(world)
  expect(logged('deliveries are late')).toEqual([])

  await mailbox.tell(3)
  await world.database.query(
    `update deliveries set next_attempt_at = now() - interval '20 seconds'
     where next_attempt_at <= now() and state = 'pending'`,
  )
  await sweep(world)

  const [line, ...more] = logged('deliveries are late')
  expect(more).toEqual([])
  expect(line).toMatchObject({ level: 'warn', attempts: 3 })
  expect(Number(line!.oldest_due_seconds)).toBeGreaterThan(19)
  expect(Number(line!.oldest_due_seconds)).toBeLessThan(40)
})

test.each([
  [200, 'delivered'],
  [500, 'not delivered'],
])('an attempt answered %i is logged as %s, even if the answer to its record was lost', async (status, message) => {
  const mailbox = await openMailbox(world)
  mailbox.answer = () => ({ status })
  const [id] = await mailbox.tell()
  const interrupted = interruptOnce(world, { statement: 'record_delivery' }, 'after')
  await sweep(world)
  await interrupted

  const lines = world.logs.map((line) => JSON.parse(line.message) as Record<string, unknown>)
  const next_attempt_at = message === 'delivered' ? undefined : expect.any(String)
  const about = lines.filter(({ event_id }) => event_id === id)
  expect(about.map((line) => ({ message: line.message, next_attempt_at: line.next_attempt_at }))).toEqual([
    { message, next_attempt_at },
  ])
})
