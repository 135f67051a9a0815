/** How many are kept: enough for a page. The oldest are dropped first. */
const KEPT = 1000

/** What has arrived, oldest first, and a way to wait for more. */
export function createArrivals<Item>() {
  const items: Item[] = []
  const waiting = new Set<() => void>()

  function add(item: Item): void {
    items.push(item)
    if (items.length > KEPT) items.shift()
    for (const look of waiting) look()
  }

  /** Resolves to what `find` finds, now or when more has arrived; rejects with `failure` after `timeoutMs`. */
  function waitFor(find: (items: Item[]) => Item | undefined, timeoutMs: number, failure: string): Promise<Item> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`${failure} within ${timeoutMs} ms`))
      }, timeoutMs)
      const look = () => {
        const found = find(items)
        if (found === undefined) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }

  return { items, add, waitFor }
}
