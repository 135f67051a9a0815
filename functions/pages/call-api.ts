import type { Context } from 'hono'
import * as z from 'zod'

export type PagesContext = Context<{ Bindings: Cloudflare.PagesEnv }>

/** The Workers that pages ask. */
type ApiBinding = 'BOOTSTRAP' | 'START_CHECKOUT' | 'CANCEL_SUBSCRIPTION' | 'GET_CUSTOMER_PORTAL' | 'SIGN_IN'

interface ApiCall {
  /** A path of the API. */
  path: string
  /** The visitor's access token. */
  token?: string | null
  /** Sent as JSON. A body makes it a POST. */
  body?: object
  headers?: Record<string, string>
}

/** Why another Worker did not do what it was asked. */
export interface Refused {
  isRefused: true
  status: number
  /** The API's `error`. */
  error: string
  /** Seconds after which it may be asked again; null: nobody knows. */
  retryAfter: number | null
  /** Of a code that was not mailed: with this site key of Turnstile, a solved captcha has it mailed. */
  site_key?: string | undefined
}

const RefusedBody = z.object({ error: z.string(), site_key: z.string().optional() })

/** Asks another Worker in the visitor's name. What it answers is of this `Reply`, or a refusal. */
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
 * A request for another Worker. It goes to the host that the visitor came to, and has the visitor's address and country: so
 * rate limits, and prices of a country, are the visitor's.
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
