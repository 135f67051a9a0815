import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

// One transaction queues an event for a member while another records the outcome of that member's first delivery. If either missed the
// other's rows, the next delivery would never get a `next_attempt_at`.

const world = useTestWorld({ writesUndocumentedEvents: true })
let release: string

beforeAll(async () => {
  const { rows } = await world.database.query<{ name: string }>('select name from releases')
  release = rows[0]!.name
})

/** Emits another event about the member of this event, in the client's transaction. */
const queueEvent = (client: pg.ClientBase, eventId: string) =>
  client.query(
    `select ${release}.emit_event(p.owner_id, e.paywall_id, e.user_id, 'ticket.created', '{}')
     from events e join paywalls p on p.id = e.paywall_id where e.id = $1`,
    [eventId],
  )

/** Leases the delivery of this event. Returns the query that records it as delivered. */
async function lease(eventId: string): Promise<pg.QueryConfig> {
  const holder = randomUUID()
  const { rows } = await world.database.query<{ endpoint_id: string }>(
    `update deliveries set holder = $1, locked_until = now() + interval '1 minute', attempts = 1
     where event_id = $2 returning endpoint_id`,
    [holder, eventId],
  )
  return {
    text: `select ${release}.record_delivery($1, $2, $3, 1, 'delivered', 0, false, 1, 200)`,
    values: [eventId, rows[0]!.endpoint_id, holder],
  }
}

/** Runs one query in a transaction, and the other at the same time: it must wait until the first has committed. */
async function runConcurrently(
  first: (client: pg.ClientBase) => Promise<unknown>,
  second: typeof first,
): Promise<void> {
  const connected = (work: typeof first) => withClient(world.databaseUrl, async (client) => void (await work(client)))
  let running = Promise.resolve()
  await connected(async (client) => {
    await client.query('begin')
    await client.query(`set local search_path = ${release}, public`)
    await first(client)
    running = connected(async (other) => {
      await other.query(`set search_path = ${release}, public`)
      await second(other)
    })
    await until('the second waits for the first', async () => {
      const { rowCount } = await world.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    })
    await client.query('commit')
  })
  await running
}

/** Whether each pending delivery, in order, has a `next_attempt_at`. */
async function readHasNextAttempt(mailbox: Mailbox): Promise<boolean[]> {
  const deliveries = await mailbox.deliveries()
  return deliveries.filter(({ state }) => state === 'pending').map(({ due_in }) => due_in !== null)
}

test.each([1, 2])(
  '%i pending: the outcome of the first is recorded while another event is being queued',
  async (count) => {
    const mailbox = await openWebhookEndpoint(world)
    const [first] = await mailbox.addEvents(count)
    const record = await lease(first!)

    await runConcurrently(
      (client) => queueEvent(client, first!),
      (client) => client.query(record),
    )

    expect(await readHasNextAttempt(mailbox)).toEqual([true, ...Array(count - 1).fill(false)])
    await runDeliveryCron(world)
    expect(mailbox.ids()).toHaveLength(count)
  },
)

test.each([1, 2])(
  '%i pending: another event is queued while the outcome of the first is being recorded',
  async (count) => {
    const mailbox = await openWebhookEndpoint(world)
    const [first] = await mailbox.addEvents(count)
    const record = await lease(first!)

    await runConcurrently(
      (client) => client.query(record),
      (client) => queueEvent(client, first!),
    )

    expect(await readHasNextAttempt(mailbox)).toEqual([true, ...Array(count - 1).fill(false)])
    await runDeliveryCron(world)
    expect(mailbox.ids()).toHaveLength(count)
  },
)

describe('user.merged waits for the deliveries about both users', () => {
  /** A mailbox with a pending delivery about a user, which is merged, and with `count` about the other user. */
  async function setUp(count: number) {
    const mailbox = await openWebhookEndpoint(world)
    const [merged, into] = [await mailbox.newMember(), await mailbox.newMember()]
    const [last] = await mailbox.addEvents(1, merged)
    const [earlier] = await mailbox.addEvents(count, into)
    const queueMerged = (client: pg.ClientBase) =>
      client.query(
        `select ${release}.emit_event(p.owner_id, p.id, $2, 'user.merged', '{}', merged_user_id => $3)
         from paywalls p where p.id = $1`,
        [mailbox.file.paywalls[0]!.id, into, merged],
      )
    return { mailbox, last: last!, earlier, queueMerged }
  }

  test.each(['before', 'after'])('the last one about the merged user ends just %s it is queued', async (order) => {
    const { mailbox, last, queueMerged } = await setUp(0)
    const record = await lease(last)
    const end = (client: pg.ClientBase) => client.query(record)
    await (order === 'before' ? runConcurrently(end, queueMerged) : runConcurrently(queueMerged, end))
    expect(await readHasNextAttempt(mailbox)).toEqual([true])
  })

  test.each(['before', 'after'])(
    'the one about the merged user ends just %s the one about the other',
    async (order) => {
      const { mailbox, last, earlier, queueMerged } = await setUp(1)
      await withClient(world.databaseUrl, async (client) => {
        await client.query(`set search_path = ${release}, public`)
        await queueMerged(client)
      })
      const records = [await lease(last), await lease(earlier!)]
      const [one, other] = order === 'before' ? records : records.toReversed()
      await runConcurrently(
        (client) => client.query(one!),
        (client) => client.query(other!),
      )
      expect(await readHasNextAttempt(mailbox)).toEqual([true])
    },
  )

  test('it is not due while either is pending', async () => {
    const { mailbox, last, earlier, queueMerged } = await setUp(1)
    await withClient(world.databaseUrl, async (client) => {
      await client.query(`set search_path = ${release}, public`)
      await queueMerged(client)
    })
    let failing = last
    mailbox.answer = ({ headers }) => ({ status: headers['webhook-id'] === failing ? 503 : 200 })
    await runDeliveryCron(world)
    expect(mailbox.ids().toSorted()).toEqual([last, earlier].toSorted())
    failing = ''
    await mailbox.passes('1m')
    expect(mailbox.ids()).toHaveLength(4)
    expect(await readHasNextAttempt(mailbox)).toEqual([])
  })
})
