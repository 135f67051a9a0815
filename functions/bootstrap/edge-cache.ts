/** How long an edit of a paywall may take to be seen, in seconds. A stale price id costs one 404 and a fresh read. */
const EDGE_SECONDS = 10

/** How many payloads an isolate remembers. The one that it has known longest goes first. */
const REMEMBERED = 100

/** A public payload as JSON; `version` is its ETag without quotes. */
interface CachedResponse {
  json: string
  version: string
  staleAt: number
}

/** What this isolate has served lately: a paywall that many look at is not fetched from the colo's cache each time. */
const remembered = new Map<string, CachedResponse>()

/**
 * A public payload out of this isolate's memory or this colo's cache, or made now and kept in both, for 10 seconds from then on.
 * `dependsOn` is all that it depends on besides the database, as segments of a path.
 */
export async function edgeCached(
  context: Pick<ExecutionContext, 'waitUntil'>,
  dependsOn: string[],
  make: () => Promise<{ payload: object; version: string }>,
): Promise<CachedResponse> {
  const key = `https://bootstrap.internal/${dependsOn.join('/')}`
  const known = remembered.get(key)
  if (known && Date.now() < known.staleAt) return known

  const cached = await caches.default.match(key)
  const kept = cached ? await read(cached) : keep(await make())
  if (!cached) context.waitUntil(caches.default.put(key, write(kept)))
  remember(key, kept)
  return kept
}

function keep({ payload, version }: { payload: object; version: string }): CachedResponse {
  return { json: JSON.stringify(payload), version, staleAt: Date.now() + EDGE_SECONDS * 1000 }
}

/** `Expires` has whole seconds, and `staleAt` is rounded down to one: never served longer than it may be. */
function write({ json, version, staleAt }: CachedResponse): Response {
  return new Response(json, {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': `public, max-age=${EDGE_SECONDS}`,
      ETag: `"${version}"`,
      Expires: new Date(staleAt).toUTCString(),
    },
  })
}

async function read(cached: Response): Promise<CachedResponse> {
  const version = cached.headers.get('etag')?.slice(1, -1) ?? ''
  return { json: await cached.text(), version, staleAt: Date.parse(cached.headers.get('expires') ?? '') }
}

function remember(key: string, kept: CachedResponse): void {
  const [oldest] = remembered.keys()
  if (remembered.size >= REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  remembered.delete(key)
  remembered.set(key, kept)
}

/**
 * Answers with what was kept; 304 if the caller already has this version (RFC 9110, weak comparison). Callers may keep it but must
 * ask again: what they get depends on where they are, which no shared cache knows.
 */
export function respond({ json, version }: CachedResponse, ifNoneMatch: string | undefined): Response {
  const tag = `"${version}"`
  const known = ifNoneMatch?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-cache', ETag: tag }
  if (known?.some((each) => each === tag || each === '*')) return new Response(null, { status: 304, headers })
  return new Response(json, { headers })
}
