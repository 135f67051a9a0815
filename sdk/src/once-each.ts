/** How many ids are remembered; the oldest are forgotten first. */
const MEMORY = 10_000

/**
 * Runs what it is given once for each id. Who comes while it runs waits for the same outcome; if it fails, the next one runs
 * it again.
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
