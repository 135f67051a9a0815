import type pg from 'pg'
import type { World } from '../../support/owner-rows.ts'

type Database = Pick<pg.ClientBase, 'query'>

/** What processors name, by table: which rows of two owners are the same to them. */
const NAMES: [table: string, column: string, alike: string][] = [
  ['purchases', 'processor_id', 'created_at'],
  ['purchases', 'processor_customer', 'created_at'],
  ['checkouts', 'hosted_page_id', 'created_at'],
  ['payments', 'processor_payment', 'kind, occurred_at'],
  ['payments', 'fact_id', 'kind, occurred_at'],
  ['processor_events', 'event_id', 'received_at'],
]

/** Gives what the twin has the names that processors have for what the other one has: two accounts may use the same. */
export async function nameAlike(database: Database, one: World, twin: World): Promise<void> {
  for (const [table, column, alike] of NAMES) {
    const of = (owner: string, isTest: string) => `
      select t.*, t.ctid as place, row_number() over (partition by t.acquiring order by ${alike}) as number
      from ${table} t where t.paywall_id in (select id from paywalls where owner_id = ${owner} and is_test = ${isTest}) and ${column} is not null`
    const { rowCount } = await database.query(
      `update ${table} theirs set ${column} = mine.${column}
       from (${of('$1', '$2')}) mine join (${of('$3', '$4')}) other using (acquiring, number) where theirs.ctid = other.place`,
      [one.id, one.isTest, twin.id, twin.isTest],
    )
    if (!rowCount) throw new Error(`no ${column} of ${table} is alike`)
  }
}
