import type { Context } from 'hono'
import type { Place } from './db/gate.sql.ts'

/** The paywall in a request's path, and the host that it was asked at. */
export function placeOf(c: Context): Place & { host: string } {
  return { paywallId: c.req.param('id') ?? '', host: new URL(c.req.url).hostname }
}
