import type { AccountContext } from '../domain/context.ts'
import type { Row, Table } from '../domain/records.ts'

/** The functions that convert records to a processor's objects. */
export type Views = { [Name in Table]?: View<Name> }

type View<Name extends Table> = (record: Row<Name>, context: AccountContext) => { id: string }
