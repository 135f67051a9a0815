import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { ApiError } from '../../lib/http/errors.ts'
import { type ConsoleContext, sessionToken } from './session.ts'

/** The Workers whose endpoints the console calls. */
export interface ApiCall {
  binding: 'GRANTS' | 'REFUND_PURCHASE' | 'END_PURCHASE' | 'CANCEL_SUBSCRIPTION'
  path: string
  body: object
  /** The Idempotency-Key: a form that is sent twice counts once. */
  key?: string | undefined
}

const Refused = z.object({ error: z.string(), message: z.string().optional() })

/**
 * Calls an endpoint of the API as whoever is signed in, with the session's token in place of an owner key: see lib/auth/team.sql.
 *
 * @throws ApiError if the call is refused
 */
export async function callApi(c: ConsoleContext, { binding, path, body, key }: ApiCall): Promise<void> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Api-Key': sessionToken(c),
    ...(key && { 'Idempotency-Key': key }),
  }
  const request = new Request(new URL(path, c.req.url), { method: 'POST', headers, body: JSON.stringify(body) })
  const response = await c.env[binding].fetch(request)
  if (response.ok) return
  const { error, message } = Refused.parse(await response.json())
  throw new ApiError([response.status as ContentfulStatusCode, error, `api_${error}`, message])
}
