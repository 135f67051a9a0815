import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { findPerson, noData, type Person, type PersonName } from './person.ts'

/** Rows by table. */
type Rows = Record<string, Record<string, unknown>[]>

/**
 * Exports all data about a person within one owner and mode, in one snapshot. Hashes of tokens and the like are left out. Throws a
 * `CommandError` if there is none.
 */
export async function exportPerson(db: Database, name: PersonName): Promise<Record<string, unknown>> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const person = await findPerson(transaction, name)
      const rows = await selectRows(transaction, person)
      if (Object.values(rows).every((each) => each.length === 0)) throw noData(name)
      const note = 'The files of ticket_attachments are in R2: paywall tickets attachment OBJECT_KEY FILE'
      return {
        email: person.email,
        owner: name.ownerEmail,
        mode: person.mode,
        exported_at: new Date(),
        ...rows,
        note,
      }
    })
}

async function selectRows(db: Database, { email, userIds, paywallIds }: Person): Promise<Rows> {
  const users = sql`any(${userIds}::uuid[])`
  const paywalls = sql`any(${paywallIds}::text[])`
  const isMembers = sql`t.paywall_id = ${paywalls} and t.user_id = ${users}`
  const bought = sql`t.paywall_id = ${paywalls} and (t.user_id = ${users} or t.buyer_email = ${email})`
  const callers = userIds.map((id) => `user:${id}`)
  const tickets = sql`t.paywall_id = ${paywalls} and (t.user_id = ${users} or t.customer_email = ${email})`
  const events = sql`t.paywall_id = ${paywalls} and (
    t.user_id = ${users} or t.user_id is null and t.body::jsonb #>> '{data,user,email}' = ${email})`
  /** Which rows of each table are the person's. */
  const conditions = {
    users: sql`t.id = ${users}`,
    members: isMembers,
    checkouts: sql`t.paywall_id = ${paywalls} and (t.user_id = ${users} or t.former_email = ${email})`,
    purchases: bought,
    payments: sql`t.purchase_id in (select t.id from purchases t where ${bought})`,
    refunds: sql`t.purchase_id in (select t.id from purchases t where ${bought})`,
    pending_events: sql`t.paywall_id = ${paywalls} and lower(btrim(t.sold_to)) = ${email}`,
    credited_periods: sql`t.purchase_id in (select t.id from purchases t where ${bought})`,
    grants: isMembers,
    balances: isMembers,
    ledger: isMembers,
    tickets,
    ticket_attachments: sql`t.ticket_id in (select t.id from tickets t where ${tickets})`,
    ticket_replies: sql`t.ticket_id in (select t.id from tickets t where ${tickets})`,
    sign_in_sessions: isMembers,
    sign_in_challenges: sql`t.paywall_id = ${paywalls} and t.email = ${email}`,
    ticket_quotas: sql`t.paywall_id = ${paywalls} and t.who = any(${[...(email ? [`email:${email}`] : []), ...callers]}::text[])`,
    rate_limits: sql`t.key = any(${callers}::text[])`,
    checkout_claims: sql`t.paywall_id = ${paywalls} and t.caller = any(${callers}::text[])`,
    events,
    delivery_attempts: sql`(t.owner_id, t.event_id) in (select t.owner_id, t.id from events t where ${events})`,
  }
  const rows: Rows = {}
  for (const [table, condition] of Object.entries(conditions)) {
    const selected = sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(table)} t where ${condition} order by 1`
    rows[table] = (await selected.execute(db)).rows.map(({ row }) => readable(row))
  }
  return rows
}

/** Parses an event's body and drops hashes. */
function readable(row: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(row).filter(([column]) => !column.endsWith('_hash'))
  return Object.fromEntries(
    fields.map(([column, value]) => [
      column,
      column === 'body' && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )
}
