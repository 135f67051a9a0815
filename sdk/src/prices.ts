import { PaywallError } from './error.ts'
import type { Price } from './schemas.ts'

/** How long prices are taken for those on sale, in milliseconds. */
const FRESH_MS = 60_000

/** The ids of prices by their slugs, read when they are needed. An edited price gets another id, and keeps its slug. */
export function priceBook(read: () => Promise<readonly Price[]>) {
  let known: readonly Price[] = []
  let staleAt = 0

  async function refresh(): Promise<void> {
    known = await read()
    staleAt = Date.now() + FRESH_MS
  }

  return {
    /** The id of a price that is named by its slug; an id stays as it is. */
    async idOf(name: string): Promise<string> {
      if (/^price_[\da-f]{24}$/.test(name)) return name
      if (Date.now() >= staleAt) await refresh()
      const price = known.find(({ slug }) => slug === name)
      if (price) return price.id
      throw new PaywallError({
        status: 0,
        code: 'unknown_price',
        message: `The paywall sells no price called ${name}.`,
      })
    },
    /** Prices were edited: they are read anew when they are needed next. */
    forget(): void {
      staleAt = 0
    },
  }
}
