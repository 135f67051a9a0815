import type pg from 'pg'

/** A user of a paywall as home lists it. */
export interface MemberRow {
  id: string
  /** The user's e-mail address, or else the owner's id of the user, or else ours. */
  name: string
  /** What its latest purchase is; null: it has bought nothing. */
  status: string | null
  /** `standard 500`, by type. */
  balances: string[]
}

const SHOWN = 50

const READ = `
  select u.id, coalesce(u.email, u.external_id, u.id::text) as name,
    (select p.status from purchases p where p.paywall_id = m.paywall_id and p.user_id = m.user_id
      order by p.created_at desc limit 1) as status,
    array(select b.type || ' ' || b.count from balances b
      where b.paywall_id = m.paywall_id and b.user_id = m.user_id order by b.type) as balances
  from members m join users u on u.id = m.user_id
  where m.paywall_id = $1 and m.merged_into is null`

/** The latest users of a paywall whose name has `text` in it. */
export async function findMembers(database: pg.Pool, paywallId: string, text: string): Promise<MemberRow[]> {
  const matching = `${READ} and strpos(coalesce(u.email, u.external_id, u.id::text), lower($2)) > 0
    order by m.created_at desc, u.id limit ${SHOWN}`
  const { rows } = await database.query<MemberRow>(matching, [paywallId, text])
  return rows
}

/** One user of a paywall; null if it has none of that id. */
export async function readMember(database: pg.Pool, paywallId: string, userId: string): Promise<MemberRow | null> {
  const { rows } = await database.query<MemberRow>(`${READ} and u.id::text = $2`, [paywallId, userId])
  return rows[0] ?? null
}
