import type { CallOptions } from './client.ts'
import { hasCode, PaywallError } from './error.ts'
import type { Price } from './schemas.ts'

/** How long prices are cached, in milliseconds. */
const CACHE_MS = 60_000

/** Resolves slugs of prices to ids, and caches them. An edited price keeps its slug and gets a new id. */
export function priceBook(read: (options: CallOptions) => Promise<readonly Price[]>) {
  let known: readonly Price[] = []
  let staleAt = 0

  async function resolveId(name: string, options: CallOptions): Promise<string> {
    if (/^price_[\da-f]{24}$/.test(name)) return name
    if (Date.now() >= staleAt) {
      known = await read(options)
      staleAt = Date.now() + CACHE_MS
    }
    const price = known.find(({ slug }) => slug === name)
    if (price) return price.id
    throw new PaywallError({
      status: 0,
      code: 'unknown_price',
      message: `The paywall has no price called ${name}.`,
    })
  }

  return {
    /**
     * Calls `open` with the id of a price given by slug or id. Retries once with a fresh id if the cached one is unknown, because the price
     * was edited.
     */
    async sell<Opened>(
      name: string,
      options: CallOptions,
      open: (priceId: string) => Promise<Opened>,
    ): Promise<Opened> {
      try {
        return await open(await resolveId(name, options))
      } catch (error) {
        if (!hasCode(error, 'price_not_found')) throw error
        staleAt = 0
        return open(await resolveId(name, options))
      }
    },
  }
}
