/** How long a user is remembered, in milliseconds. */
const CACHE_MS = 10_000
/** How many users are remembered. The oldest are evicted first. */
const MAX_USERS = 10_000

/** Remembers the users of access tokens for ten seconds: most requests of a signed-in user then cost no call. */
export function userCache<CachedUser>() {
  const known = new Map<string, { user: CachedUser; staleAt: number }>()

  return {
    get(key: string): CachedUser | null {
      const cached = known.get(key)
      return cached && Date.now() < cached.staleAt ? cached.user : null
    },
    set(key: string, user: CachedUser | null): void {
      known.delete(key)
      const [oldest] = known.size >= MAX_USERS ? known.keys() : []
      if (oldest !== undefined) known.delete(oldest)
      if (user) known.set(key, { user, staleAt: Date.now() + CACHE_MS })
    },
  }
}
