import type pg from 'pg'
import type { World } from '../../support/owner-rows.ts'

type Database = Pick<pg.ClientBase, 'query'>

/** The columns with processors' ids, and the order that pairs the rows of two owners. */
const ID_COLUMNS: [table: string, column: string, orderBy: string][] = [
  ['purchases', 'processor_id', 'created_at'],
  ['purchases', 'processor_customer', 'created_at'],
  ['checkouts', 'hosted_page_id', 'created_at'],
  ['payments', 'processor_payment', 'kind, occurred_at'],
  ['payments', 'fact_id', 'kind, occurred_at'],
  ['processor_events', 'event_id', 'received_at'],
]

/** Gives the twin's rows the same processor ids as the other owner's rows: two processor accounts may use the same ids. */
export async function copyProcessorIds(database: Database, one: World, twin: World): Promise<void> {
  for (const [table, column, orderBy] of ID_COLUMNS) {
    const numberedRows = (owner: string, isTest: string) => `
      select t.*, t.ctid as place, row_number() over (partition by t.acquiring order by ${orderBy}) as number
      from ${table} t where t.paywall_id in (select id from paywalls where owner_id = ${owner} and is_test = ${isTest}) and ${column} is not null`
    const { rowCount } = await database.query(
      `update ${table} theirs set ${column} = mine.${column}
       from (${numberedRows('$1', '$2')}) mine join (${numberedRows('$3', '$4')}) other using (acquiring, number)
       where theirs.ctid = other.place`,
      [one.id, one.isTest, twin.id, twin.isTest],
    )
    if (!rowCount) throw new Error(`no ${column} of ${table} was copied`)
  }
}
