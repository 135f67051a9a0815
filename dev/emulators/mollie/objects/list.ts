import { MollieError } from '../errors.ts'
import { documentation, hal } from './wire.ts'

/** The page of a list that is asked for. `from` is the id of its first row. */
export interface PageOf {
  limit: number
  from?: string | undefined
}

/** One page of a list. `name` is the field that Mollie puts the rows into. */
export function listOf<Row extends { id: string }>(name: string, address: string, rows: Row[], page: PageOf) {
  const start = page.from === undefined ? 0 : rows.findIndex(({ id }) => id === page.from)
  if (start < 0) throw new MollieError(400, `Invalid cursor value: ${page.from}`, 'from')
  const shown = rows.slice(start, start + page.limit)
  const link = (row: Row | undefined) => (row ? hal(`${address}?from=${row.id}&limit=${page.limit}`) : null)
  return {
    count: shown.length,
    _embedded: { [name]: shown },
    _links: {
      self: hal(`${address}?limit=${page.limit}`),
      previous: start === 0 ? null : link(rows[Math.max(0, start - page.limit)]),
      next: link(rows[start + page.limit]),
      documentation: documentation('pagination'),
    },
  }
}
