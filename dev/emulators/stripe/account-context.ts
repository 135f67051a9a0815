import type { Account } from './accounts.ts'
import { noSuch } from './errors.ts'
import type { Records } from './records.ts'

/** What one call works with: the Stripe account that it acts for, the records, the time, and where to send events. */
export interface AccountContext {
  readonly account: Account
  readonly records: Records
  /** The emulator's own address. */
  readonly url: string
  /** Unix seconds. */
  readonly now: number
  /** Stores an event and sends it. If it is about a change, `before` is the object as it was. */
  emit(type: string, object: object, before?: object): void
}

/** The record with that id. Throws Stripe's `resource_missing` if there is none, or if it is another account's. */
export function find<Row extends { account: string }>(
  context: AccountContext,
  rows: ReadonlyMap<string, Row>,
  kind: string,
  id: string,
  param?: string,
): Row {
  const row = rows.get(id)
  if (row?.account !== context.account.id) throw noSuch(kind, id, param)
  return row
}
