import pg from 'pg'
import { type Filler, ownedWith } from './insert.ts'
import { filledId } from './users.ts'

/** Events about filled users, all for one webhook endpoint. */
export interface Backlog {
  paywallId: string
  webhookUrl: string
  events: number
  /** The number of users that the events are about, in turn. */
  users: number
  /**
   * `due`: each user's first delivery has been overdue for a minute. `blocked`: each user's first delivery failed and is due in an hour, and the others wait for it.
   * `expired`: delivered more than a month ago.
   */
  as: 'due' | 'blocked' | 'expired'
}

/** The current time in the format of events. */
const NOW = `to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Separate ranges for each kind, because the sequence numbers of a member's events are unique. */
const SEQUENCES = { expired: 0, due: 1_000_000, blocked: 2_000_000 }

export async function fillDeliveries(
  filler: Filler,
  { paywallId, webhookUrl, events, users, as }: Backlog,
): Promise<void> {
  const rows = { from: 1, to: events }
  const [webhookEndpoint] = await filler.run('select id from webhook_endpoints where url = $1', [webhookUrl])
  if (!webhookEndpoint) throw new Error(`no webhook endpoint has the address ${webhookUrl}`)
  const about = {
    paywall_id: `'${paywallId}'`,
    user_id: filledId(`1 + (n - 1) % ${users}`),
    sequence: `${SEQUENCES[as]} + (n - 1) / ${users} + 1`,
  }
  const id = `'evt_' || md5('${as}-' || n)`
  await filler.insert('events', rows, {
    ...ownedWith(paywallId),
    ...about,
    id,
    type: `'balance.changed'`,
    body: `json_build_object('id', ${id}, 'type', 'balance.changed', 'timestamp', ${NOW}, 'data', '{}'::json)::text`,
    created_at: as === 'expired' ? `now() - interval '40 days'` : 'now()',
    ...(as === 'expired' &&
      (await redactsEvents(filler)) && { purge_at: `now() - interval '10 days' - n * interval '1 millisecond'` }),
  })
  await filler.insert('deliveries', rows, {
    ...about,
    event_id: id,
    endpoint_id: `'${webhookEndpoint.id}'::uuid`,
    ...STATES[as](`n <= ${users}`, (await onlyFirstIsDue(filler)) ? 'null' : `now() - interval '1 minute'`),
  })
}

/** Whether only a user's first pending delivery has a due time; in older trees all have one. */
async function onlyFirstIsDue(filler: Filler): Promise<boolean> {
  const [column] = await filler.run(
    `select is_nullable = 'YES' as nullable from information_schema.columns
     where table_name = 'deliveries' and column_name = 'next_attempt_at'`,
    [],
  )
  return column?.nullable === true
}

/** Whether old events are redacted; in older trees they are not. */
async function redactsEvents(filler: Filler): Promise<boolean> {
  const columns = `select from information_schema.columns where table_name = 'events' and column_name = 'purge_at'`
  return (await filler.run(columns, [])).length > 0
}

/** The stored state of each kind, given the condition for a user's first delivery and the due time of the others. */
const STATES = {
  due: (isFirst: string, others: string) => ({
    state: `'pending'`,
    next_attempt_at: `case when ${isFirst} then now() - interval '1 minute' else ${others} end`,
  }),
  blocked: (isFirst: string, others: string) => ({
    state: `'pending'`,
    attempts: `case when ${isFirst} then 3 else 0 end`,
    next_attempt_at: `case when ${isFirst} then now() + interval '1 hour' else ${others} end`,
  }),
  expired: () => ({
    state: `'delivered'`,
    attempts: '1',
    last_status: '200',
    finished_at: `now() - interval '31 days' - n * interval '1 millisecond'`,
  }),
}

/**
 * Deletes all events with their deliveries, so that a running cron has nothing left to do. The cron locks the same tables in
 * another order, so this statement may be the victim of a deadlock, and is then retried.
 */
export async function purgeEvents(filler: Filler): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await filler.run('truncate events cascade')
      return
    } catch (error) {
      const deadlocked = error instanceof pg.DatabaseError && error.code === '40P01'
      if (!deadlocked || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

const MAX_ATTEMPTS = 20
