import type { Context } from 'hono'
import type { Place } from '../db/gate.ts'

/** The paywall in a request's path, and the host that it was asked at. */
export function placeOf(c: Context): Place & { host: string } {
  return { paywallId: c.req.param('id') ?? '', host: hostOf(c) }
}

/** The host that was asked. A name may be written with the dot of the root behind it: it is the same host. */
export const hostOf = (c: Context): string => new URL(c.req.url).hostname.replace(/\.$/, '')
