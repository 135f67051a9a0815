import type { Account, AnyPaywall } from './accounts.ts'
import type { DomainEvent } from './domain-events.ts'
import type { AccountRecord, Records, Row, Table, Tables } from './records.ts'

/** The API call that causes a change; null if a page, a control or the clock causes it. */
export interface Cause {
  requestId: string
  idempotencyKey: string | null
}

/** The context of a change: the account, its records, its time, and how to emit events. */
export interface AccountContext {
  readonly account: Account<AnyPaywall>
  readonly records: Records
  /** The emulator's own address. */
  readonly url: string
  /** The account's time, in unix seconds. */
  readonly now: number
  readonly cause: Cause | null
  /** Whether a switch of the emulator is on. */
  isOn(name: string): boolean
  newId(kind: Table): string
  /** The account as its read replica has it, which may lag behind. Read-only. */
  replica(): AccountContext
  /** A record as the processor shows it. */
  show<Name extends Table>(table: Name, record: Row<Name>): { id: string }
  /** Creates the processor's events for a domain event, stores and sends them. */
  emit(domainEvent: DomainEvent): void
  /** The processor's error for an operation that is not possible. */
  refuse(message: string): Error
  /** The processor's error for an unknown object. `param`: the parameter that named it. */
  noSuch(table: Named, id: string, param?: string): Error
}

/** The kinds of objects that a call can name by id. */
export type Named = Table | 'prices' | 'coupons'

/** The common fields of a new record. */
export const newRecord = ({ newId, account, now }: AccountContext, kind: Table, id = newId(kind)) => ({
  id,
  account: account.id,
  created: now,
})

/** The account's record with that id, or null. */
export function lookUp<Name extends Table>({ records, account }: AccountContext, name: Name, id: string) {
  const tables: Tables = records
  const row = tables[name].get(id)
  return row?.account === account.id ? row : null
}

/** The account's record with that id. Throws the processor's error if there is none. */
export function find<Name extends Table>(context: AccountContext, name: Name, id: string, param?: string): Row<Name> {
  const row = lookUp(context, name, id)
  if (!row) throw context.noSuch(name, id, param)
  return row
}

/** The object whose record with that id is in one of the tables, or null. */
export function showById(context: AccountContext, id: string, tables: Table[]): { id: string } | null {
  for (const table of tables) {
    const record = lookUp(context, table, id)
    if (record) return context.show(table, record)
  }
  return null
}

/** All records of the account in a table, oldest first. */
export function all<Name extends Table>({ records, account }: AccountContext, name: Name): Row<Name>[] {
  const tables: Tables = records
  return [...tables[name].values()].filter((row) => row.account === account.id)
}

/** Whether a row has these values; undefined matches any. */
export const matches = (filter: object) => (row: object) =>
  Object.entries(filter).every(([field, value]) => value === undefined || Reflect.get(row, field) === value)

type Filter<Name extends Table> = { [Field in keyof Row<Name>]?: Row<Name>[Field] | undefined }

/** The records with these values, newest first: `newestFirst(context, 'payments', { subscription: id })`. */
export const newestFirst = <Name extends Table>(context: AccountContext, name: Name, filter: Filter<Name>) =>
  all(context, name).filter(matches(filter)).reverse()

/** Records as the processor's API shows them. */
export const showEach = <Name extends Table>(context: AccountContext, name: Name, records: Row<Name>[]) =>
  records.map((record) => context.show(name, record))

/** The account's own record. */
export function accountRecord({ accounts }: Records, id: string): AccountRecord {
  const account = accounts.get(id) ?? { id, ahead: 0, own: {} }
  accounts.set(id, account)
  return account
}
