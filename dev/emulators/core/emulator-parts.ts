import type { RecordControl, WireObject } from './controls/controls.ts'
import type { Table, Tables } from './domain/records.ts'
import type { ListOf } from './processor.ts'
import type { Store } from './store.ts'

type AnyList = { [Name in Table]: ListOf<Name> }[Table]

/** The controls of records as methods: `renew(id, { fail: true })`. */
export const methodsOf = (controls: Record<string, RecordControl>, store: Store) =>
  Object.fromEntries(
    Object.entries(controls).map(([name, { optionsOf, run }]) => [
      name,
      async (id: string, given?: never) => run(store, id, optionsOf(given)),
    ]),
  )

/** The lists, the events and the switches as properties. */
export function propertiesOf(
  { lists, switches }: { lists: Record<string, AnyList>; switches: readonly string[] },
  store: Store,
  events: () => unknown[],
): PropertyDescriptorMap {
  const shown = Object.entries<AnyList>(lists).map(([name, list]) => [name, { get: () => listed(list, store) }])
  const switched = switches.map((name) => [name, { value: false, writable: true }])
  return { events: { get: events }, ...Object.fromEntries([...shown, ...switched]) }
}

function listed<Name extends Table>({ table, show }: ListOf<Name>, { state, contextOf }: Store): WireObject[] {
  const tables: Tables = state.records
  return [...tables[table].values()].map((row) => ({ id: row.id, ...show(row, contextOf(row.account)) }))
}
