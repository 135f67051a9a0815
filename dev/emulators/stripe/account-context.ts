import type { Account } from './accounts.ts'
import { noSuch } from './errors.ts'
import type { Records } from './records.ts'

/** One Stripe account's view of the records, for the length of one call. */
export interface Ledger {
  readonly account: Account
  readonly records: Records
  /** The emulator's own address. */
  readonly url: string
  /** Unix seconds. */
  readonly now: number
  /** Records an event and sends it; `before` is the object as it was, where the event is about a change. */
  emit(type: string, object: object, before?: object): void
}

/** The record of this account with that id; Stripe's `resource_missing` for any other, another account's included. */
export function find<Row extends { account: string }>(
  ledger: Ledger,
  rows: ReadonlyMap<string, Row>,
  kind: string,
  id: string,
  param?: string,
): Row {
  const row = rows.get(id)
  if (row?.account !== ledger.account.id) throw noSuch(kind, id, param)
  return row
}
