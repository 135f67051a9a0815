import { beforeAll, expect, test } from 'vitest'
import { signInToConsole } from '../support/console.ts'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { paywall } from '../support/paywall.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })
let mailbox: Mailbox
/** The ids of the events, oldest first; the second one has failed. */
let events: string[]
let owner: string[]
let endpoint: string

beforeAll(async () => {
  mailbox = await openWebhookEndpoint(world)
  owner = ['--owner', mailbox.file.owner.email]
  mailbox.answer = ({ body }) => ({ status: 200, body: `Thanks \u001b[31m for ${JSON.parse(body).sequence}` })
  events = await mailbox.addEvents(3)
  await untilDelivered()
  await setFailed(events[1]!)
  endpoint = await endpointId()
})

const run = (...args: string[]) => paywall(world, args)

async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}

const setFailed = (event: string) =>
  world.database.query("update deliveries set state = 'failed', next_attempt_at = null where event_id = $1", [event])

async function endpointId(): Promise<string> {
  const { rows } = await world.database.query<{ id: string }>('select id from webhook_endpoints where url = $1', [
    mailbox.url,
  ])
  return rows[0]!.id
}

/** Runs the cron until every event is delivered: a command wakes no Worker. */
const untilDelivered = () =>
  until('every event is delivered', async () => {
    await runDeliveryCron(world)
    return (await mailbox.deliveries()).every(({ state }) => state === 'delivered')
  })

const ids = (list: { events: { id: string }[] }) => list.events.map(({ id }) => id)

test('lists events as the console does, by filter and page', async () => {
  const [first, failed, last] = events
  const all = await json('events', 'list', ...owner)
  expect(ids(all)).toEqual([last, failed, first])
  const visitor = await signInToConsole(world, mailbox.file.owner.email)
  const { html } = await visitor.get('/test/events')
  expect([...html.matchAll(/href="\/test\/events\/(evt_[0-9a-f]+)"/g)].map(([, id]) => id)).toEqual(ids(all))

  const newest = await json('events', 'list', ...owner, '--limit', '2')
  expect(ids(newest)).toEqual([last, failed])
  expect(ids(await json('events', 'list', ...owner, '--limit', '2', '--before', newest.next))).toEqual([first])
  expect(ids(await json('events', 'list', ...owner, '--state', 'failed'))).toEqual([failed])
  expect(ids(await json('events', 'list', ...owner, '--user', all.events[0].user.id))).toEqual(ids(all))
  expect(ids(await json('events', 'list', ...owner, '--type', 'payment.failed'))).toEqual([])

  const { out } = await paywall(world, ['events', 'list', ...owner, '--state', 'failed'], { FORCE_COLOR: '1' })
  expect(out).toMatch(new RegExp(`^\\S+Z {2}${failed} {2}ticket.created .*\u001b\\[31mfailed\u001b\\[39m\n$`))
})

test('shows an event with its body and what each attempt came to', async () => {
  const [first] = events
  const shown = await json('events', 'show', first!)
  expect(shown).toMatchObject({
    id: first,
    body: { sequence: 1 },
    attempts: [{ status: 200, response: expect.stringContaining('Thanks') }],
  })
  const { out } = await run('events', 'show', first!)
  expect(out).toMatch(/\ndelivered {2}http\S+ {2}attempts: 1 {2}last response: 200\n/)
  expect(out).toMatch(/Z {2}http\S+ {2}200 {2}\d+ ms {2}Thanks \ufffd\[31m for 1\n/)
  expect(out).toContain('"sequence": 1')
})

test('sends one event again, and then all that failed in a time', async () => {
  const [first, failed] = events
  const since = ['--since', '2026-01-01T00:00:00Z', '--failed', ...owner]
  expect(await run('events', 'replay', first!)).toMatchObject({
    code: 0,
    out: '1 delivery is pending again, and sent within a minute.\n',
  })
  await until('it has arrived again', async () => {
    await runDeliveryCron(world)
    return mailbox.ids().filter((id) => id === first).length === 2
  })
  expect(await json('events', 'replay', ...since, '--endpoint', endpoint)).toEqual({ replayed: 1 })
  await untilDelivered()
  expect(mailbox.ids()).toEqual([...events, first, failed])
  expect((await run('events', 'replay', ...since)).out).toBe('Nothing to send again.\n')
})

test('replays more than a thousand events', async () => {
  const other = await openWebhookEndpoint(world)
  await other.addEvents(1001)
  await world.database.query(
    `update deliveries d set state = 'failed', next_attempt_at = null from webhook_endpoints w where w.id = d.endpoint_id and w.url = $1`,
    [other.url],
  )
  const since = ['--since', '2026-01-01T00:00:00Z', '--failed', '--owner', other.file.owner.email]
  expect(await json('events', 'replay', ...since)).toEqual({ replayed: 1001 })
})

test('lists webhook endpoints with their health, and disables and enables one', async () => {
  const disabled = await run('webhooks', 'disable', endpoint)
  expect(disabled).toMatchObject({ code: 0, out: expect.stringContaining('Pending events wait') })
  expect((await run('webhooks', 'list', ...owner)).out).toMatch(new RegExp(`^${endpoint} {2}http\\S+ {2}disabled `))
  expect(await json('webhooks', 'enable', endpoint)).toEqual({ id: endpoint, url: mailbox.url, enabled: true })
  const { endpoints } = await json('webhooks', 'list', ...owner)
  expect(endpoints).toMatchObject([{ id: endpoint, url: mailbox.url, disabled_at: null, pending: 0 }])
  expect((await run('webhooks', 'list', ...owner)).out).toContain('  healthy  ')
})

const UNKNOWN = '2f1c6f0e-3f0b-4f6e-8a55-0f6d3c1f9b1a'

test.each<[words: string, error: string]>([
  ['events list --owner OWNER --type payment.faild', 'did you mean payment.failed?'],
  ['events list --owner OWNER --limit 0', '--limit must be a whole number from 1 to 500'],
  ['events list --owner OWNER --state lost', 'Allowed choices are pending, delivered, failed'],
  ['events list --owner OWNER --user nobody', 'the owner has no test user nobody'],
  ['events show evt_1', 'there is no event evt_1: paywall events list shows their ids'],
  ['events replay', 'name either an event, or events of a time'],
  ['events replay evt_1 --failed', 'need --since instead of an event'],
  ['events replay --since yesterday --owner OWNER', 'write it like 2026-11-03T14:05:00Z'],
  ['events replay --since 2026-11-03T14:05:00Z', 'add --owner EMAIL'],
  [`events replay --since 2026-11-03T14:05:00Z --owner OWNER --endpoint ${UNKNOWN}`, 'has no webhook endpoint'],
  [`webhooks disable ${UNKNOWN}`, `there is no webhook endpoint ${UNKNOWN}`],
  ['webhooks enable nonsense', 'there is no webhook endpoint nonsense'],
])('refuses: %s', async (words, error) => {
  const refused = await run(...words.replace('OWNER', owner[1]!).split(' '))
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(error) })
})
