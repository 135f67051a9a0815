import type { Received } from '../../dev/world/pages/received.ts'
import { pages as docs } from '../../functions/docs/contract.ts'
import {
  ASSET_PATH,
  BASE_PATHS,
  DIALOG_SCRIPT_PATH,
  ICON_PATH,
  IMAGE_PATH,
  isEmbeddedPath,
} from '../../functions/pages/contract.ts'
import { pathPattern, undocumented, undocumentedEvent } from './documented.ts'

/** Headers that every response must have, whichever endpoint sends it: no framing except in a dialog, no sniffing, no caching. */
const requiredHeaders = (path: string) => ({
  'Content-Security-Policy': isEmbeddedPath(path)
    ? /^default-src 'none'; .*frame-ancestors ('none'|https?:\/\/[^ ]+)$/
    : /^default-src 'none'; .*frame-ancestors 'none'$/,
  'Referrer-Policy': /^(no-referrer|same-origin)$/,
  'Strict-Transport-Security': /^max-age=\d{8}$/,
  'X-Content-Type-Options': /^nosniff$/,
  'Cache-Control': /^(private, )?no-(store|cache)$/,
})

/** Responses that are the same for every caller, and may be cached. */
const below = BASE_PATHS.map((path) => path.replace(/\/$/, ''))
const PAGES_LOAD = below.flatMap((place) => [place + IMAGE_PATH, place + DIALOG_SCRIPT_PATH])
const CACHEABLE = [...docs.map(({ path }) => path), ASSET_PATH, ICON_PATH, ...PAGES_LOAD].map(pathPattern)

interface AnyResponse {
  status: number
  headers: { get(name: string): string | null }
  clone(): { text(): Promise<string> }
}

/** Returns a response that matches the API's document, and throws if it does not match. */
export async function expectDocumented<Response extends AnyResponse>(
  { url, method = 'GET' }: { url: string; method?: string | undefined },
  response: Response,
): Promise<Response> {
  const { status, headers } = response
  const text = await response.clone().text()
  const fault = undocumented({ method: method.toUpperCase(), url, status, headers, text })
  if (fault) throw new Error(`${method} ${url} answered ${status}, but not as openapi.json says: ${fault}`)
  const { pathname } = new URL(url, 'http://localhost')
  const required = Object.entries(requiredHeaders(pathname))
  const missing = required.filter(([name, value]) => !value.test(headers.get(name) ?? ''))
  const isCacheable = CACHEABLE.some((pattern) => pattern.test(pathname))
  if (missing.length > 0 && !isCacheable) throw new Error(`${method} ${url} answered ${status} without ${missing}`)
  return response
}

/** A `fetch` for code that must not fail midway: responses that differ from the document are added to `faults`. */
export function checkedFetch(faults: unknown[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const url = String(input)
    const isComplete = await response
      .clone()
      .text()
      .then(
        () => true,
        () => false,
      )
    // A response that a crash truncated cannot be checked.
    if (isComplete) await expectDocumented({ url, method: init?.method }, response).catch((fault) => faults.push(fault))
    return response
  }
}

/** Throws if an event does not match the document: one that the owner's backend was sent, or one that was only written to the outbox. */
export function expectDocumentedEvents(received: Received[], written: { body: string }[]): void {
  const events = [...received.filter(({ verified }) => verified), ...written]
  const faults = events.flatMap((each) => undocumentedEvent(each) ?? [])
  if (faults.length > 0) throw new Error(`events that are not as openapi.json says: ${[...new Set(faults)].join('\n')}`)
}
