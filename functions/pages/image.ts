// Serves the images that a paywall's file names from the paywall's own origin: a page asks no other host for anything. Only addresses
// of the file are fetched, and only what begins like an image is passed on: never a document, or a picture that has a script.
import { apiError } from '../../lib/http/errors.ts'
import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { detectImageType } from '../../lib/images/image-type.ts'
import { log } from '../../lib/log/log.ts'
import type { PagesContext } from './call-api.ts'
import { listImages } from './images.ts'
import { structureFor } from './site.ts'

/** The largest image, in bytes. */
const IMAGE_LIMIT = 2 * 1024 * 1024
/** For how long its server may take, in milliseconds. */
const TIMEOUT_MS = 5_000
/** How long an image is kept, and how long it is remembered that there is none, in seconds. */
const KEPT_SECONDS = 24 * 3600
const FAILED_SECONDS = 60

/** An image by its name, out of this colo's cache, or from its server. */
export async function serveImage(c: PagesContext): Promise<Response> {
  const key = new URL(c.req.path, c.req.url)
  const cached = await caches.default.match(key)
  const response = cached ?? (await fetchNamed(c))
  if (!cached) c.executionCtx.waitUntil(caches.default.put(key, response.clone()))
  if (!response.ok) throw apiError(sharedErrors.not_found)
  return new Response(response.body, response)
}

/** What is kept of the image that the path names; without a body where there is none to be had. */
async function fetchNamed(c: PagesContext): Promise<Response> {
  const images = await listImages(await structureFor(c))
  const src = [...images].find(([, name]) => name === c.req.param('name'))?.[0]
  if (src === undefined) throw apiError(sharedErrors.not_found)
  const bytes = await fetchImage(src, c).catch((cause: unknown) => {
    log('warn', 'an image of a paywall is out of reach', { cause })
    return null
  })
  const type = bytes && detectImageType(bytes)
  if (!type)
    return new Response(null, { status: 404, headers: { 'Cache-Control': `public, max-age=${FAILED_SECONDS}` } })
  return new Response(bytes, { headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${KEPT_SECONDS}` } })
}

/** The bytes at an address; null if it is none that we call, does not answer with them at once, or has too many. */
async function fetchImage(src: string, c: PagesContext): Promise<Uint8Array<ArrayBuffer> | null> {
  const isOurs = new URL(src).host === new URL(c.req.url).host // an image that names itself would be asked for without end
  if (isOurs || publicUrlProblem(src, { allowLocal: c.env.ALLOW_LOCAL_IMAGES, ownHosts: [] })) return null
  const response = await fetch(src, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status === 200) return readWhole(response)
  await response.body?.cancel()
  return null
}

/** The whole body; null if it is larger than an image may be, of which no more is read. */
async function readWhole({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > IMAGE_LIMIT) return null
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
}
