import type { CallOptions } from './client.ts'
import { hasCode, PaywallError } from './error.ts'
import type { Price } from './schemas.ts'

/** How long prices are taken for those on sale, in milliseconds. */
const FRESH_MS = 60_000

/** The ids of prices by their slugs, read when they are needed. An edited price gets another id, and keeps its slug. */
export function priceBook(read: (options: CallOptions) => Promise<readonly Price[]>) {
  let known: readonly Price[] = []
  let staleAt = 0

  async function idOf(name: string, options: CallOptions): Promise<string> {
    if (/^price_[\da-f]{24}$/.test(name)) return name
    if (Date.now() >= staleAt) {
      known = await read(options)
      staleAt = Date.now() + FRESH_MS
    }
    const price = known.find(({ slug }) => slug === name)
    if (price) return price.id
    throw new PaywallError({
      status: 0,
      code: 'unknown_price',
      message: `The paywall sells no price called ${name}.`,
    })
  }

  return {
    /**
     * Sells a price that is named by its slug or its id: `open` gets the id. Once more if that is unknown, because the price was
     * edited since it was read.
     */
    async sell<Opened>(
      name: string,
      options: CallOptions,
      open: (priceId: string) => Promise<Opened>,
    ): Promise<Opened> {
      try {
        return await open(await idOf(name, options))
      } catch (error) {
        if (!hasCode(error, 'price_not_found')) throw error
        staleAt = 0
        return open(await idOf(name, options))
      }
    },
  }
}
