import { withClient } from '../../cli/database.ts'

export type Row = Record<string, unknown>

/** Every row of every table, as JSON. */
export function getRows(database: string): Promise<Record<string, Row[]>> {
  return withClient(database, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
    )
    const all: Record<string, Row[]> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: Row }>(`select to_jsonb(t) as row from ${name} t`)
      all[name] = rows.map(({ row }) => row)
    }
    return all
  })
}

/** Sorts rows by their content. */
export function sorted(rows: Row[]): Row[] {
  const keyed = rows.map((row) => ({ row, key: JSON.stringify(Object.entries(row).toSorted()) }))
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ row }) => row)
}
