import pg from 'pg'
import type { Filler } from './insert.ts'
import { filledId } from './users.ts'

/** Events about filled users, all to one webhook endpoint. */
export interface Backlog {
  paywallId: string
  webhookUrl: string
  events: number
  /** How many users they are about, in turns. */
  users: number
  /**
   * `due`: they wait since a crash. `blocked`: each user's first was tried in vain and comes up in an hour, and the others
   * wait for it. `expired`: they were delivered a month and more ago.
   */
  as: 'due' | 'blocked' | 'expired'
}

/** The time of the fill as events write it. */
const NOW = `to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Each kind has numbers of its own, for a member's events are numbered without twins. */
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
    ...about,
    id,
    type: `'balance.changed'`,
    body: `json_build_object('id', ${id}, 'type', 'balance.changed', 'timestamp', ${NOW}, 'data', '{}'::json)::text`,
    created_at: as === 'expired' ? `now() - interval '40 days'` : 'now()',
    ...(as === 'expired' &&
      (await forgetsPeople(filler)) && { purge_at: `now() - interval '10 days' - n * interval '1 millisecond'` }),
  })
  await filler.insert('deliveries', rows, {
    ...about,
    event_id: id,
    endpoint_id: `'${webhookEndpoint.id}'::uuid`,
    ...STATES[as](`n <= ${users}`, (await hasHeads(filler)) ? 'null' : `now() - interval '1 minute'`),
  })
}

/** Whether only a user's first pending delivery has a time: in older trees each has one. */
async function hasHeads(filler: Filler): Promise<boolean> {
  const [column] = await filler.run(
    `select is_nullable = 'YES' as nullable from information_schema.columns
     where table_name = 'deliveries' and column_name = 'next_attempt_at'`,
    [],
  )
  return column?.nullable === true
}

/** Whether the person leaves events after a while: in older trees they stay as they are. */
async function forgetsPeople(filler: Filler): Promise<boolean> {
  const columns = `select from information_schema.columns where table_name = 'events' and column_name = 'purge_at'`
  return (await filler.run(columns, [])).length > 0
}

/** How a delivery of each kind is stored, given the condition that it is its user's first and when the others are due. */
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
 * Forgets all events, and with them what waits: a sweep that is under way finds nothing more to do. Its statements lock
 * the same tables in another order, so this may be the one that a deadlock ends: then it tries again.
 */
export async function purgeEvents(filler: Filler): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await filler.run('truncate events cascade')
      return
    } catch (error) {
      const deadlocked = error instanceof pg.DatabaseError && error.code === '40P01'
      if (!deadlocked || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

const MOST_ATTEMPTS = 20
