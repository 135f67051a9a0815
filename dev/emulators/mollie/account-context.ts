import type { Account } from './accounts.ts'
import { noSuch } from './errors.ts'
import type { Records } from './records.ts'

/** What one call works with: the Mollie account that it acts for, the records, the time, and where to send events. */
export interface AccountContext {
  readonly account: Account
  readonly records: Records
  /** The emulator's own address. */
  readonly url: string
  /** Unix seconds. */
  readonly now: number
  /** Whether new mandates are `pending` at first. */
  readonly slowMandates: boolean
  /** Stores an event and sends it. `entity` is the object that it is about, in the API's shape. */
  emit(type: string, entity: { id: string }): void
}

/** The record with that id. Throws Mollie's 404 if there is none, or if it is another account's. */
export function find<Row extends { account: string }>(
  context: AccountContext,
  rows: ReadonlyMap<string, Row>,
  kind: string,
  id: string,
): Row {
  const row = rows.get(id)
  if (row?.account !== context.account.id) throw noSuch(kind, id)
  return row
}
