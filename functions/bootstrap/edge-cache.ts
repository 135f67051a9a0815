/** How long an edit of a paywall may take to be seen, in seconds. A stale price id costs one 404 and a fresh read. */
const EDGE_SECONDS = 10

/** What a structural payload depends on besides the database. */
export interface CacheKey {
  host: string
  paywallId: string
  country: string
}

/** The structural payload out of this colo's cache, or made now and kept there. Its `version` is its ETag. */
export async function edgeCached(
  context: Pick<ExecutionContext, 'waitUntil'>,
  { host, paywallId, country }: CacheKey,
  make: () => Promise<{ version: string }>,
): Promise<Response> {
  const key = `https://bootstrap.internal/${host}/${paywallId}/${country}`
  const cached = await caches.default.match(key)
  if (cached) return forCaller(cached)

  const payload = await make()
  const response = Response.json(payload, {
    headers: { ETag: `"${payload.version}"`, 'Cache-Control': `public, max-age=${EDGE_SECONDS}` },
  })
  context.waitUntil(caches.default.put(key, response.clone()))
  return forCaller(response)
}

/** 304 if the caller already has this version (RFC 9110, weak comparison), else null. */
export function notModified(ifNoneMatch: string | undefined, response: Response): Response | null {
  const tag = response.headers.get('etag')
  const known = ifNoneMatch?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (!tag || !known?.some((each) => each === tag || each === '*')) return null
  return new Response(null, { status: 304, headers: response.headers })
}

/** Callers may keep it but must ask again: what they get depends on where they are, which no shared cache knows. */
function forCaller(response: Response): Response {
  const ETag = response.headers.get('etag') ?? ''
  return new Response(response.body, {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-cache', ETag },
  })
}
