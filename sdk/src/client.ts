import createClient from 'openapi-fetch'
import { abortable } from './abortable.ts'
import { noAnswer, PaywallError, toError } from './error.ts'
import type { paths } from './generated/api.ts'
import type { SendOptions } from './retry.ts'
import { VERSION } from './version.ts'

/** What a paywall can be given for all its calls, and each call for itself. */
export interface CallOptions {
  /** How long to wait for each answer, in milliseconds; 10,000 if it is left out. A call that is repeated waits for each of them. */
  timeout?: number
  /** Aborts the call, which throws a `PaywallError` with the code `aborted`. Of a call's signal and its paywall's, either does. */
  signal?: AbortSignal
  /** Instead of the runtime's own. It is called with a `Request`. */
  fetch?: typeof fetch
}

interface Target extends CallOptions {
  baseUrl: string
  /** The paywall's id; undefined if it is not known yet. */
  paywall: string | undefined
}

const TIMEOUT_MS = 10_000

/** The origin of a URL. Throws `invalid_url` if it is none. */
export function toOrigin(url: string): string {
  try {
    return new URL(url).origin
  } catch (cause) {
    throw noAnswer('invalid_url', cause)
  }
}

/**
 * A client of all operations of the API's document. `send` adds who calls. No redirect is followed, since the API has none, and what
 * proves who calls is for its host alone. Servers see its status, and browsers a `network_error`.
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
        abortable([always.signal, once], async (signal) => complete(await send(request, { ...options, signal }))),
    })
  }
}

/** An answer that says yes, and is no object, is not the API's: a proxy's page, or what a broken connection has left of one. */
async function complete(response: Response): Promise<Response> {
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

/** A client as `clientOf` makes it. */
export type Client = ReturnType<typeof openClient>

/** What a call answered. */
interface FetchResult<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The body of a good answer. Throws the `PaywallError` that any other answer tells, or what kept the call from one. */
export async function unwrap<Data>(call: Promise<FetchResult<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw cause instanceof PaywallError ? cause : noAnswer('not_sent', cause)
  })
  if (!response.ok || data === undefined) throw toError(response, error)
  return data
}
