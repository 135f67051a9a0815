import type { AccountContext } from '../domain/context.ts'
import type { Row, Table } from '../domain/records.ts'

/** How a processor shows the records of its tables. */
export type Views = { [Name in Table]?: View<Name> }

type View<Name extends Table> = (record: Row<Name>, context: AccountContext) => { id: string }
