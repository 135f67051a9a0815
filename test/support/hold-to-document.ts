import type { Received } from '../../dev/world/pages/received.ts'
import { pages as docs } from '../../functions/docs/contract.ts'
import { ASSET_PATH, ICON_PATH, IMAGE_PATH, PLACES } from '../../functions/pages/contract.ts'
import { pathPattern, undocumented, undocumentedEvent } from './documented.ts'

/** What every answer says, so that no page frames, sniffs or keeps it, whichever endpoint it comes from. */
const HYGIENE = {
  'Content-Security-Policy': /^default-src 'none'; .*frame-ancestors 'none'$/,
  'Referrer-Policy': /^(no-referrer|same-origin)$/,
  'Strict-Transport-Security': /^max-age=\d{8}$/,
  'X-Content-Type-Options': /^nosniff$/,
  'Cache-Control': /^(private, )?no-(store|cache)$/,
}

/** What does not change from caller to caller, and may be kept. */
const IMAGES = PLACES.map((place) => place.replace(/\/$/, '') + IMAGE_PATH)
const KEPT = [...docs.map(({ path }) => path), ASSET_PATH, ICON_PATH, ...IMAGES].map(pathPattern)

interface AnyResponse {
  status: number
  headers: { get(name: string): string | null }
  clone(): { text(): Promise<string> }
}

/** Gives an answer back if it is as the API's document says, and fails if it is not. */
export async function asDocumented<Response extends AnyResponse>(
  { url, method = 'GET' }: { url: string; method?: string | undefined },
  response: Response,
): Promise<Response> {
  const { status, headers } = response
  const text = await response.clone().text()
  const fault = undocumented({ method: method.toUpperCase(), url, status, headers, text })
  if (fault) throw new Error(`${method} ${url} answered ${status}, but not as openapi.json says: ${fault}`)
  const lax = Object.entries(HYGIENE).filter(([name, value]) => !value.test(headers.get(name) ?? ''))
  const { pathname } = new URL(url, 'http://localhost')
  const isKept = KEPT.some((pattern) => pattern.test(pathname))
  if (lax.length > 0 && !isKept) throw new Error(`${method} ${url} answered ${status} without ${lax}`)
  return response
}

/** A `fetch` for code that must not fail midway: responses that differ from the document are added to `faults`. */
export function notingFetch(faults: unknown[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const url = String(input)
    const arrived = await response
      .clone()
      .text()
      .then(
        () => true,
        () => false,
      )
    // A response that a crash cut off cannot be judged.
    if (arrived) await asDocumented({ url, method: init?.method }, response).catch((fault) => faults.push(fault))
    return response
  }
}

/** Fails if the owner's backend was sent an event that is not as the document says. */
export function eventsAsDocumented(received: Received[]): void {
  const faults = received.flatMap((each) => (each.verified ? (undocumentedEvent(each) ?? []) : []))
  if (faults.length > 0) throw new Error(`events that are not as openapi.json says: ${[...new Set(faults)].join('\n')}`)
}
