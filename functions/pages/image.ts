// Proxies the images named in a paywall's file, so that pages load nothing from other hosts. Only URLs in the file are fetched, and
// only responses that begin like a raster image are served: never a document, or an SVG, which may contain scripts.
import { apiError } from '../../lib/http/errors.ts'
import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { detectImageType } from '../../lib/images/image-type.ts'
import { log } from '../../lib/log/log.ts'
import type { PagesContext } from './call-api.ts'
import { listImages } from './images.ts'
import { openSiteBase } from './site.ts'

/** The largest image, in bytes. */
const IMAGE_LIMIT = 2 * 1024 * 1024
/** The timeout of the image's server, in milliseconds. */
const TIMEOUT_MS = 5_000
/** How long an image is cached, and how long a failure to fetch it, in seconds. */
const CACHE_SECONDS = 24 * 3600
const FAILURE_CACHE_SECONDS = 60

/** Serves an image by its name from this colo's cache or from its server. */
export async function serveImage(c: PagesContext): Promise<Response> {
  const key = new URL(c.req.path, c.req.url)
  const cached = await caches.default.match(key)
  const response = cached ?? (await fetchByName(c))
  if (!cached) c.executionCtx.waitUntil(caches.default.put(key, response.clone()))
  if (!response.ok) throw apiError(sharedErrors.not_found)
  return new Response(response.body, response)
}

/** Fetches the image that the path names. Returns a 404 without a body, to be cached, if it cannot be fetched. */
async function fetchByName(c: PagesContext): Promise<Response> {
  const { structure } = await openSiteBase(c)
  const images = await listImages(structure)
  const src = [...images].find(([, name]) => name === c.req.param('name'))?.[0]
  if (src === undefined) throw apiError(sharedErrors.not_found)
  const bytes = await fetchImage(src, c).catch((cause: unknown) => {
    log('warn', 'could not fetch an image of a paywall', { cause })
    return null
  })
  const type = bytes && detectImageType(bytes)
  if (!type)
    return new Response(null, { status: 404, headers: { 'Cache-Control': `public, max-age=${FAILURE_CACHE_SECONDS}` } })
  return new Response(bytes, { headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${CACHE_SECONDS}` } })
}

/** Fetches an image; null if its URL may not be fetched, does not answer 200 in time, or the image is too large. */
async function fetchImage(src: string, c: PagesContext): Promise<Uint8Array<ArrayBuffer> | null> {
  const isOurs = new URL(src).host === new URL(c.req.url).host // an image URL that points at this proxy would recurse for ever
  if (isOurs || publicUrlProblem(src, { allowLocal: c.env.ALLOW_LOCAL_IMAGES, ownHosts: [] })) return null
  const response = await fetch(src, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status === 200) return readBody(response)
  await response.body?.cancel()
  return null
}

/** Reads the body; null as soon as it exceeds the limit. */
async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > IMAGE_LIMIT) return null
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
}
