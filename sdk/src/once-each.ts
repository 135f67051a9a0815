/** How many ids are remembered. The oldest are evicted first. */
const MEMORY = 10_000

/**
 * Runs a handler once per id. Concurrent calls with the same id share its outcome. After a failure the next call runs it again.
 */
export function onceEach(): (id: string, handle: () => Promise<void>) => Promise<void> {
  const known = new Map<string, Promise<void>>()
  return (id, handle) => {
    const before = known.get(id)
    if (before) return before
    const [oldest] = known.size >= MEMORY ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    const handled = handle().catch((error: unknown) => {
      known.delete(id)
      throw error
    })
    known.set(id, handled)
    return handled
  }
}
