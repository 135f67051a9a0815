import type { RecordControl } from './controls/controls.ts'
import type { Table } from './domain/records.ts'
import type { Store } from './store.ts'

/** The controls of records as methods: `renew(id, { fail: true })`. */
export const controlMethods = (controls: Record<string, RecordControl>, store: Store) =>
  Object.fromEntries(
    Object.entries(controls).map(([name, { optionsOf, run }]) => [
      name,
      async (id: string, given?: never) => run(store, id, optionsOf(given)),
    ]),
  )

/** The lists, the events and the switches as properties. */
export function recordProperties(
  { lists, switches }: { lists: Record<string, Table>; switches: readonly string[] },
  store: Store,
  events: () => unknown[],
): PropertyDescriptorMap {
  const shown = Object.entries(lists).map(([name, table]) => [name, { get: () => store.showAll(table) }])
  const switched = switches.map((name) => [name, { value: false, writable: true }])
  return { events: { get: events }, ...Object.fromEntries([...shown, ...switched]) }
}
