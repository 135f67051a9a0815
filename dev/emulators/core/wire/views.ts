import type { AccountContext } from '../domain/context.ts'
import type { Row, Table, Tables } from '../domain/records.ts'

/** How a processor shows the records of its tables. */
export type Views = { [Name in Table]?: View<Name> }

type View<Name extends Table> = (record: Row<Name>, context: AccountContext) => { id: string }

/** The object with an id, whatever table its record is in; null if the account has none. */
export function showById(context: AccountContext, views: Views, id: string): { id: string } | null {
  const tables: Tables = context.records
  for (const table of Object.keys(views) as Table[]) {
    const record = tables[table].get(id)
    if (record?.account === context.account.id) return context.show(table, record)
  }
  return null
}
