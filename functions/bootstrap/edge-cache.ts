/**
 * Maximum age of a cached payload in seconds, and so how long an edit of a paywall can stay invisible. A stale price id costs one 404 and a
 * fresh read.
 */
const EDGE_SECONDS = 10

/** Number of payloads that an isolate caches. The oldest entry is evicted first. */
const REMEMBERED = 100

/** A public payload as JSON; `version` is its ETag without quotes. */
interface CachedResponse {
  json: string
  version: string
  staleAt: number
}

/** Cache in this isolate's memory: a popular paywall is not fetched from the colo's cache for each request. */
const remembered = new Map<string, CachedResponse>()

/**
 * Returns a public payload from this isolate's memory or this colo's cache, or builds it and caches it in both for 10 seconds. `dependsOn`
 * lists everything that it depends on besides the database, as path segments.
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

/** `Expires` has a resolution of one second, so `staleAt` is rounded down: a payload is never served too long. */
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
 * Returns the cached payload; 304 if the caller already has this version (RFC 9110, weak comparison). Callers may store it but must
 * revalidate it, because the payload depends on the caller's country, which no shared cache knows.
 */
export function respond({ json, version }: CachedResponse, ifNoneMatch: string | undefined): Response {
  const tag = `"${version}"`
  const known = ifNoneMatch?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-cache', ETag: tag }
  if (known?.some((each) => each === tag || each === '*')) return new Response(null, { status: 304, headers })
  return new Response(json, { headers })
}
