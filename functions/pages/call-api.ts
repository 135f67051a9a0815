import type { Context } from 'hono'
import * as z from 'zod'
import { ApiError } from '../../lib/http/errors.ts'

export type PagesContext = Context<{ Bindings: Cloudflare.PagesEnv }>

/** The Workers that the pages call. */
type ApiBinding =
  | 'BOOTSTRAP'
  | 'START_CHECKOUT'
  | 'CANCEL_SUBSCRIPTION'
  | 'CHANGE_PLAN'
  | 'GET_CUSTOMER_PORTAL'
  | 'PAYMENTS'
  | 'SIGN_IN'

interface ApiCall {
  /** A path of the API. */
  path: string
  /** The visitor's access token. */
  token?: string | null
  /** Sent as JSON. A body makes it a POST. */
  body?: object
  headers?: Record<string, string>
}

/** An error response of another Worker. */
export interface Refused {
  isRefused: true
  status: number
  /** The API's `error`. */
  error: string
  /** Seconds after which to retry, from `Retry-After`; null if unknown. */
  retryAfter: number | null
  /** When no code was mailed: the Turnstile site key of a captcha that, once solved, allows the mail. */
  site_key?: string | undefined
  /** Why the visitor does not get an offer: start-checkout's `reason`. */
  reason?: string | undefined
}

const RefusedBody = z.object({ error: z.string(), site_key: z.string().optional(), reason: z.string().optional() })

/** Calls another Worker on the visitor's behalf. Returns the parsed reply or the refusal. */
export async function callApi<Reply extends z.ZodType>(
  c: PagesContext,
  binding: ApiBinding,
  reply: Reply,
  apiCall: ApiCall,
): Promise<z.output<Reply> | Refused> {
  const { body, headers } = apiCall
  const response = await c.env[binding].fetch(
    withToken(c, apiCall, {
      method: body ? 'POST' : 'GET',
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  return response.ok ? reply.parse(await response.json()) : toRefused(response)
}

/**
 * Builds a request to another Worker with the visitor's host, IP address and country, so that rate limits and local prices are the
 * visitor's.
 */
export function withToken(
  c: PagesContext,
  { path, token }: Pick<ApiCall, 'path' | 'token'>,
  init: RequestInit,
): Request {
  const request = new Request(new URL(path, c.req.url), {
    ...init,
    ...(c.req.raw.cf && { cf: c.req.raw.cf }),
  } as RequestInit)
  const address = c.req.header('cf-connecting-ip')
  if (address) request.headers.set('CF-Connecting-IP', address)
  if (token) request.headers.set('Authorization', `Bearer ${token}`)
  return request
}

export async function toRefused(response: Response): Promise<Refused> {
  const body = RefusedBody.parse(await response.json())
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return { ...body, isRefused: true, status: response.status, retryAfter: Number.isFinite(seconds) ? seconds : null }
}

export const isRefused = (reply: object): reply is Refused => 'isRefused' in reply

/** Converts a refusal to an error, where the page can show nothing else. */
export const failure = ({ status, error, retryAfter }: Refused): ApiError =>
  new ApiError([status as 500, error, error, undefined], retryAfter === null ? {} : { retryAfter })
