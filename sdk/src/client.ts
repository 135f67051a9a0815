import createClient from 'openapi-fetch'
import { abortable } from './abortable.ts'
import { noResponseError, PaywallError, toError } from './error.ts'
import type { paths } from './generated/api.ts'
import type { SendOptions } from './retry.ts'
import { VERSION } from './version.ts'

/** Options of a paywall for all its calls, or of a single call. */
export interface CallOptions {
  /** The timeout of each attempt, in milliseconds. Default: 10,000. A call that is retried has several attempts. */
  timeout?: number
  /** Aborts the call, which then throws a `PaywallError` with the code `aborted`. Both the call's and the paywall's signal work. */
  signal?: AbortSignal
  /** Replaces the runtime's `fetch`. Called with a `Request`. */
  fetch?: typeof fetch
}

interface Target extends CallOptions {
  baseUrl: string
  /** The paywall's id; undefined if it is unknown. */
  paywall: string | undefined
}

const TIMEOUT_MS = 10_000

/** The origin of a URL. @throws PaywallError invalid_url */
export function toOrigin(url: string): string {
  try {
    return new URL(url).origin
  } catch (cause) {
    throw noResponseError('invalid_url', cause)
  }
}

/**
 * A client for all operations of the OpenAPI document. `send` adds the credential. Redirects are not followed: the API has none, and the
 * credential must not reach another host. Servers see the redirect's status, browsers a `network_error`.
 */
export function openClient(
  { baseUrl, paywall, ...always }: Target,
  send: (request: Request, options: SendOptions) => Promise<Response>,
) {
  return ({ signal: once, ...own }: CallOptions & Pick<SendOptions, 'isIdempotent'> = {}) => {
    const options = {
      ...own,
      timeout: own.timeout ?? always.timeout ?? TIMEOUT_MS,
      fetch: own.fetch ?? always.fetch ?? fetch,
    }
    return createClient<paths>({
      baseUrl,
      headers: { 'X-Paywall-Id': paywall, 'X-SDK-Version': `paywall-billing-sdk ${VERSION}` },
      redirect: 'manual',
      fetch: (request) =>
        abortable([always.signal, once], async (signal) => requireObject(await send(request, { ...options, signal }))),
    })
  }
}

/** Rejects a successful response that is no JSON object: it comes from a proxy, or was truncated. */
async function requireObject(response: Response): Promise<Response> {
  const text = response.ok ? await response.clone().text() : '{}'
  if (!isObject(text)) throw toError(response, null)
  return response
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

export type Client = ReturnType<typeof openClient>

interface FetchResult<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** Returns the body of a successful response. Throws a `PaywallError` for any other response, or if there is none. */
export async function unwrap<Data>(call: Promise<FetchResult<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw cause instanceof PaywallError ? cause : noResponseError('not_sent', cause)
  })
  if (!response.ok || data === undefined) throw toError(response, error)
  return data
}
