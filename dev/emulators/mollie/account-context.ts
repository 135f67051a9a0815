import type { Account } from './accounts.ts'
import { noSuch } from './errors.ts'
import type { Records } from './records.ts'

/** One Mollie account's view of the records, for the length of one call. */
export interface Ledger {
  readonly account: Account
  readonly records: Records
  /** The emulator's own address. */
  readonly url: string
  /** Unix seconds. */
  readonly now: number
  /** Whether mandates wait, at the moment, before they are valid. */
  readonly slowMandates: boolean
  /** Records an event about an entity as the API gives it, and sends it. */
  emit(type: string, entity: { id: string }): void
}

/** The record of this account with that id; Mollie's 404 for any other, another account's included. */
export function find<Row extends { account: string }>(
  ledger: Ledger,
  rows: ReadonlyMap<string, Row>,
  kind: string,
  id: string,
): Row {
  const row = rows.get(id)
  if (row?.account !== ledger.account.id) throw noSuch(kind, id)
  return row
}
