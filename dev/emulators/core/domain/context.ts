import type { Account, AnyPaywall } from './accounts.ts'
import type { DomainEvent } from './domain-events.ts'
import type { AccountRecord, Records, Row, Table, Tables } from './records.ts'

/** The API call that a change is made by; null where a page, a control or the clock makes it. */
export interface Cause {
  requestId: string
  idempotencyKey: string | null
}

/** What one change works with: the account that it is made in, the records, the account's time, and where to tell of it. */
export interface AccountContext {
  readonly account: Account<AnyPaywall>
  readonly records: Records
  /** The emulator's own address. */
  readonly url: string
  /** By the account's clock, in unix seconds. */
  readonly now: number
  readonly cause: Cause | null
  /** Whether one of the emulator's switches is on. */
  isOn(name: string): boolean
  newId(kind: Table): string
  /** The same account as a replica has it, where reads lag behind. To be read only. */
  replica(): AccountContext
  /** A record as the processor shows it. */
  show<Name extends Table>(table: Name, record: Row<Name>): { id: string }
  /** Makes the processor's events of what happened, stores them and sends them. */
  emit(domainEvent: DomainEvent): void
  /** The processor's error for something that cannot be done. */
  refuse(message: string): Error
  /** The processor's error for something that the account does not have. `param`: the parameter that named it. */
  noSuch(table: Named, id: string, param?: string): Error
}

/** What a call can name by an id. */
export type Named = Table | 'prices'

/** The fields that a new record begins with. */
export const newRecord = ({ newId, account, now }: AccountContext, kind: Table, id = newId(kind)) => ({
  id,
  account: account.id,
  created: now,
})

/** The account's record with that id; null if it has none. */
export function lookUp<Name extends Table>({ records, account }: AccountContext, name: Name, id: string) {
  const tables: Tables = records
  const row = tables[name].get(id)
  return row?.account === account.id ? row : null
}

/** The same. Throws the processor's error if there is none. */
export function find<Name extends Table>(context: AccountContext, name: Name, id: string, param?: string): Row<Name> {
  const row = lookUp(context, name, id)
  if (!row) throw context.noSuch(name, id, param)
  return row
}

/** The object with an id, whichever of these tables its record is in; null if the account has none. */
export function showById(context: AccountContext, id: string, tables: Table[]): { id: string } | null {
  for (const table of tables) {
    const record = lookUp(context, table, id)
    if (record) return context.show(table, record)
  }
  return null
}

/** All records of a table that are the account's, the oldest first. */
export function all<Name extends Table>({ records, account }: AccountContext, name: Name): Row<Name>[] {
  const tables: Tables = records
  return [...tables[name].values()].filter((row) => row.account === account.id)
}

/** Whether something has these values; undefined stands for any. */
export const having = (wanted: object) => (row: object) =>
  Object.entries(wanted).every(([field, value]) => value === undefined || Reflect.get(row, field) === value)

type Wanted<Name extends Table> = { [Field in keyof Row<Name>]?: Row<Name>[Field] | undefined }

/** Those that have these values, the newest first: `newestOf(context, 'payments', { subscription: id })`. */
export const newestFirst = <Name extends Table>(context: AccountContext, name: Name, wanted: Wanted<Name>) =>
  all(context, name).filter(having(wanted)).reverse()

/** Records as the processor shows them. */
export const showEach = <Name extends Table>(context: AccountContext, name: Name, records: Row<Name>[]) =>
  records.map((record) => context.show(name, record))

/** What an account has besides its records. */
export function accountRecord({ accounts }: Records, id: string): AccountRecord {
  const account = accounts.get(id) ?? { id, ahead: 0, own: {} }
  accounts.set(id, account)
  return account
}
