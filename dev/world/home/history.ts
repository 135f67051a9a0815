import type pg from 'pg'
import { formatMoney } from './format.ts'

/** Something that happened to a user. Times are by the paywall's clock. */
export interface Entry {
  at: Date
  kind: 'checkout' | 'payment' | 'event' | 'balance'
  text: string
  /** Further lines, such as the outcome of each delivery. */
  details: string[]
}

/** The latest `count` entries of a user's history, newest first. */
export async function readHistory(
  database: pg.Pool,
  { paywallId, userId, count }: { paywallId: string; userId: string; count: number },
): Promise<Entry[]> {
  const reads = [readCheckouts, readPayments, readEvents, readBalances]
  const entries = await Promise.all(reads.map((read) => read(database, [paywallId, userId, count])))
  return entries
    .flat()
    .toSorted((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, count)
}

/** Reads at least `count` entries if there are that many, newest first. */
type Read = (database: pg.Pool, member: [paywallId: string, userId: string, count: number]) => Promise<Entry[]>

const readCheckouts: Read = async (database, member) => {
  const { rows } = await database.query<{ at: Date; label: string; completed: Date | null; isOpen: boolean }>(
    `select c.created_at as at, r.label, c.completed_at as completed, c.url is not null as "isOpen"
     from checkouts c join prices r on r.id = c.price_id where c.paywall_id = $1 and c.user_id = $2
     order by greatest(c.created_at, c.completed_at) desc limit $3`,
    member,
  )
  return rows.flatMap(({ at, label, completed, isOpen }) => {
    const opened = isOpen
      ? `a checkout of ${label} was opened`
      : `a checkout of ${label} was requested, and has no page`
    const begun: Entry = { at, kind: 'checkout', text: opened, details: [] }
    const done: Entry[] = completed
      ? [{ at: completed, kind: 'checkout', text: `the checkout of ${label} was completed`, details: [] }]
      : []
    return [begun, ...done]
  })
}

const readPayments: Read = async (database, member) => {
  const { rows } = await database.query<{ at: Date; kind: string; amount: number; currency: string; id: string }>(
    `select m.occurred_at as at, m.kind, m.amount::float8 as amount, m.currency, m.processor_payment as id
     from payments m join purchases p on p.id = m.purchase_id where p.paywall_id = $1 and p.user_id = $2
     order by m.occurred_at desc limit $3`,
    member,
  )
  return rows.map(({ at, kind, amount, currency, id }) => ({
    at,
    kind: 'payment',
    text: `a payment of ${formatMoney(amount, currency)} ${kind}`,
    details: [id],
  }))
}

interface DeliveryRow {
  url: string
  state: 'pending' | 'delivered' | 'failed'
  attempts: number
  last_status: number | null
  last_error: string | null
}

const readEvents: Read = async (database, member) => {
  const { rows } = await database.query<{ at: Date; type: string; id: string; deliveries: DeliveryRow[] }>(
    `select (e.body::jsonb ->> 'timestamp')::timestamptz as at, e.type, e.id,
       coalesce((select jsonb_agg(jsonb_build_object('url', w.url, 'state', d.state, 'attempts', d.attempts,
           'last_status', d.last_status, 'last_error', d.last_error) order by w.url)
         from deliveries d join webhook_endpoints w on w.id = d.endpoint_id where d.event_id = e.id), '[]') as deliveries
     from events e where e.paywall_id = $1 and e.user_id = $2 order by at desc, e.sequence desc limit $3`,
    member,
  )
  return rows.map(({ at, type, id, deliveries }) => ({
    at,
    kind: 'event',
    text: type,
    details: [id, ...deliveries.map(deliverySentence)],
  }))
}

function deliverySentence({ url, state, attempts, last_status: status, last_error: error }: DeliveryRow): string {
  const outcome = status === null ? (error ?? '') : `answered ${status}`
  const tries = attempts > 1 ? ` after ${attempts} attempts` : ''
  return `${state} at ${url}${tries}${outcome && `: ${outcome}`}`
}

/** Why a balance changed, in words. */
const REASONS = {
  top_up: 'daily top-up',
  plan: 'credited with a paid period',
  trial: 'credited with a trial',
  credit: 'credited by the owner',
  debit: 'debited by the owner',
  merge: 'moved from a user who was merged into this one',
}

interface BalanceRow {
  at: Date
  type: string
  delta: number
  after: number
  reason: keyof typeof REASONS
}

const readBalances: Read = async (database, member) => {
  const { rows } = await database.query<BalanceRow>(
    `select l.at, l.type, l.delta::float8 as delta, l.count_after::float8 as after, l.reason
     from ledger l where l.paywall_id = $1 and l.user_id = $2 order by l.id desc limit $3`,
    member,
  )
  return rows.map(({ at, type, delta, after, reason }) => ({
    at,
    kind: 'balance',
    details: [REASONS[reason]],
    text: `${type} tokens ${delta > 0 ? `+${delta}` : delta}, balance ${after}`,
  }))
}
