import type pg from 'pg'
import { PAGE_SIZE } from './lists.ts'

/** A user in home's list. */
export interface MemberRow {
  id: string
  /** The first that exists of: e-mail address, external id, the address that was paid with, user id. */
  name: string
  /** The status of the latest purchase; null: no purchase. */
  status: string | null
  /** `standard 500`, by type. */
  balances: string[]
}

const READ = `
  select u.id, coalesce(u.email, u.external_id, bought.email, u.id::text) as name, bought.status,
    array(select b.type || ' ' || b.count from balances b
      where b.paywall_id = m.paywall_id and b.user_id = m.user_id order by b.type) as balances
  from chosen m join users u on u.id = m.user_id
  left join lateral (select p.status, p.buyer_email as email from purchases p
    where p.paywall_id = m.paywall_id and p.user_id = m.user_id order by p.created_at desc limit 1) bought on true`

/** Searches a paywall's users by e-mail address, external id, user id and the addresses that they paid with. */
const FOUND = `
  from members m join users u on u.id = m.user_id
  where m.paywall_id = $1 and m.merged_into is null and ($2 = '' or strpos(lower(concat_ws(' ', u.email, u.external_id, u.id::text,
    (select string_agg(p.buyer_email, ' ') from purchases p where p.paywall_id = m.paywall_id and p.user_id = m.user_id))), lower($2)) > 0)`

/** Counts the users of a paywall that match a text; an empty text matches all. */
export async function countMembers(database: pg.Pool, paywallId: string, text: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*)::int as count ${FOUND}`, [paywallId, text])
  return rows[0]?.count ?? 0
}

/** A page of these users, newest first. */
export async function findMembers(
  database: pg.Pool,
  paywallId: string,
  text: string,
  offset: number,
): Promise<MemberRow[]> {
  const page = `select m.* ${FOUND} order by m.created_at desc, m.user_id limit ${PAGE_SIZE} offset $3`
  const listed = `with chosen as (${page}) ${READ} order by m.created_at desc, m.user_id`
  const { rows } = await database.query<MemberRow>(listed, [paywallId, text, offset])
  return rows
}

/** A user of a paywall; null if it has no user with that id. */
export async function readMember(database: pg.Pool, paywallId: string, userId: string): Promise<MemberRow | null> {
  const one = `select m.* from members m where m.paywall_id = $1 and m.user_id::text = $2 and m.merged_into is null`
  const { rows } = await database.query<MemberRow>(`with chosen as (${one}) ${READ}`, [paywallId, userId])
  return rows[0] ?? null
}
