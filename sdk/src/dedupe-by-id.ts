/** How many ids are remembered. The oldest are evicted first. */
const MAX_IDS = 10_000

/**
 * Runs a handler once per id. Concurrent calls with the same id share its outcome. After a failure the next call runs it again.
 */
export function dedupeById(): (id: string, handle: () => Promise<void>) => Promise<void> {
  const known = new Map<string, Promise<void>>()
  return (id, handle) => {
    const earlier = known.get(id)
    if (earlier) return earlier
    const [oldest] = known.size >= MAX_IDS ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    const handled = handle().catch((error: unknown) => {
      known.delete(id)
      throw error
    })
    known.set(id, handled)
    return handled
  }
}
