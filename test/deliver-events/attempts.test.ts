// What came of each attempt of a delivery is stored, with the first 2 KB of the response.
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })

interface AttemptRow {
  attempt: number
  status: number | null
  error: string | null
  response: string | null
  milliseconds: number
  /** Seconds since it began. */
  age: number
}

async function readAttempts(mailbox: Mailbox): Promise<AttemptRow[]> {
  const { rows } = await world.database.query<AttemptRow>(
    `select a.attempt, a.status, a.error, a.response, a.milliseconds,
      extract(epoch from now() - a.attempted_at)::double precision as age
     from delivery_attempts a join webhook_endpoints w on w.id = a.endpoint_id and w.owner_id = a.owner_id
     where w.url = $1 order by a.event_id, a.attempt`,
    [mailbox.url],
  )
  return rows
}

/** A webhook endpoint that writes its response in its own way. */
let server: ReturnType<typeof createServer>
let origin: string
let respond: (response: ServerResponse) => void
let ended: Promise<unknown>

beforeAll(async () => {
  server = createServer((request, response) => {
    const closed = Promise.withResolvers<void>()
    ended = closed.promise
    response.on('close', () => closed.resolve())
    request.resume().on('end', () => respond(response))
  })
  origin = await listen(server, 0)
})
afterAll(() => close(server))

/** Delivers one event to that webhook endpoint. Returns its attempt. */
async function attempt(write: typeof respond): Promise<AttemptRow> {
  respond = write
  const mailbox = await openWebhookEndpoint(world, { url: `${origin}/webhooks/${randomUUID()}` })
  await mailbox.addEvents()
  await runDeliveryCron(world)
  await ended
  return (await readAttempts(mailbox))[0]!
}

test('each attempt is stored with its time, its status or error, and the response', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const answers = [
    { status: 500, body: 'no such column: plan' },
    { status: 200, body: 'ok' },
  ]
  mailbox.answer = () => answers.shift()!
  await mailbox.addEvents()
  await runDeliveryCron(world)
  await mailbox.passes('1m')
  const attempts = await readAttempts(mailbox)
  expect(attempts).toMatchObject([
    { attempt: 1, status: 500, error: 'answered 500', response: 'no such column: plan' },
    { attempt: 2, status: 200, error: null, response: 'ok' },
  ])
  for (const { milliseconds, age } of attempts) {
    expect(milliseconds).toBeLessThan(15_000)
    expect(age).toBeLessThan(120)
  }
  expect(attempts[0]!.age).toBeGreaterThan(attempts[1]!.age)
})

test('without a response there is only an error', async () => {
  const mailbox = await openWebhookEndpoint(world, { url: 'http://127.0.0.1:9/webhooks' })
  await mailbox.addEvents()
  await runDeliveryCron(world)
  const failed = { attempt: 1, status: null, error: 'connection failed', response: null }
  expect(await readAttempts(mailbox)).toMatchObject([failed])
})

test.each<[what: string, body: string | Buffer, stored: string]>([
  ['a long body is cut off after 2 KB', 'x'.repeat(10_000), 'x'.repeat(2048)],
  ['a character is not cut in half', `${'x'.repeat(2047)}ü`, 'x'.repeat(2047)],
  ['invalid UTF-8 is replaced', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
  ['NUL is removed', 'a\0b\0', 'ab'],
  ['2 KB of invalid bytes fit', Buffer.alloc(4096, 0xff), '\ufffd'.repeat(2048)],
  ['no body is empty', '', ''],
])('%s', async (_what, body, stored) => {
  expect(await attempt((response) => response.writeHead(200).end(body))).toMatchObject({
    status: 200,
    response: stored,
  })
})

test('an endless body is cancelled after 2 KB', async () => {
  const startedAt = Date.now()
  const row = await attempt((response) => {
    response.writeHead(200)
    const more = () => {
      while (response.write('y'.repeat(65_536)));
      response.once('drain', more)
    }
    more()
  })
  expect(row).toMatchObject({ status: 200, error: null, response: 'y'.repeat(2048) })
  expect(row.milliseconds).toBeLessThan(5_000)
  expect(Date.now() - startedAt).toBeLessThan(30_000)
})

test('a body that never ends costs half a second, and the status counts', async () => {
  const row = await attempt((response) => void response.writeHead(200).write('wait'))
  expect(row).toMatchObject({ status: 200, error: null, response: 'wait' })
  expect(row.milliseconds).toBeGreaterThanOrEqual(400)
  expect(row.milliseconds).toBeLessThan(5_000)
})

test('a connection that breaks in the body does not fail the attempt', async () => {
  const row = await attempt((response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.destroy())
  })
  expect(row).toMatchObject({ status: 200, error: null, response: 'half' })
})

test('the response of a redacted event is not stored', async () => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = ({ body }) => ({ body })
  const [id] = await mailbox.addEvents()
  await world.database.query('update events set purge_at = null where id = $1', [id])
  await runDeliveryCron(world)
  expect(await readAttempts(mailbox)).toMatchObject([{ status: 200, response: null }])
})

test('attempts are deleted after 30 days, while their delivery may still be pending', async () => {
  const mailbox = await openWebhookEndpoint(world)
  mailbox.answer = () => ({ status: 500, body: 'no' })
  const [old] = await mailbox.addEvents()
  await runDeliveryCron(world)
  mailbox.answer = () => ({ body: 'yes' })
  await mailbox.passes('1m')
  await world.database.query(
    "update delivery_attempts set attempted_at = now() - interval '30 days 1 second' where event_id = $1 and attempt = 1",
    [old],
  )
  await until('it is deleted', async () => {
    await world.workers.scheduled('purge-expired')
    return (await readAttempts(mailbox)).length === 1
  })
  expect(await readAttempts(mailbox)).toMatchObject([{ attempt: 2, response: 'yes' }])
})
