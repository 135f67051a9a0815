import type { RecordControl } from './controls/controls.ts'
import type { Table } from './domain/records.ts'
import type { Store } from './store.ts'

/** The controls of records as methods: `renew(id, { fail: true })`. */
export const controlMethods = (controls: Record<string, RecordControl>, store: Store) =>
  Object.fromEntries(
    Object.entries(controls).map(([name, { toOptions, run }]) => [
      name,
      async (id: string, given?: never) => run(store, id, toOptions(given)),
    ]),
  )

/** Lists and switches as properties of the emulator. */
export function recordProperties(
  { lists, switches }: { lists: Record<string, Table>; switches: readonly string[] },
  store: Store,
): PropertyDescriptorMap {
  const shown = Object.entries(lists).map(([name, table]) => [name, { get: () => store.showAll(table) }])
  const switched = switches.map((name) => [name, { value: false, writable: true }])
  return Object.fromEntries([...shown, ...switched])
}
