import createClient from 'openapi-fetch'
import { errorOf, PaywallError } from './error.ts'
import type { paths } from './generated/api.ts'
import type { SendOptions } from './retry.ts'
import { VERSION } from './version.ts'

/** What every client can be given. */
export interface TransportOptions {
  /** How long to wait for each answer, in milliseconds; 10,000 if it is left out. */
  timeout?: number
  /** Instead of the runtime's own. */
  fetch?: typeof fetch
}

/** What each call can be given. */
export interface CallOptions {
  /** Aborts the call: it throws a `PaywallError` with the code `aborted`. */
  signal?: AbortSignal
  /** Instead of the client's, in milliseconds. */
  timeout?: number
}

interface Target extends TransportOptions {
  baseUrl: string
  /** The paywall's id; undefined if it is not known yet. */
  paywall: string | undefined
}

const TIMEOUT_MS = 10_000

/** A client of all operations of the API's document. `send` adds who calls. */
export function clientOf(
  { baseUrl, paywall, timeout = TIMEOUT_MS, fetch: given }: Target,
  send: (request: Request, options: SendOptions) => Promise<Response>,
) {
  return ({ signal, timeout: own = timeout, ...rest }: CallOptions & Pick<SendOptions, 'isHarmless'> = {}) => {
    const options = {
      ...rest,
      signal: signal ?? null,
      timeout: own,
      fetch: given ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
    }
    return createClient<paths>({
      baseUrl,
      headers: { 'X-Paywall-Id': paywall, 'X-SDK-Version': `paywall-billing-sdk ${VERSION}` },
      fetch: (request) => send(request, options),
    })
  }
}

/** A client as `clientOf` makes it. */
export type Client = ReturnType<typeof clientOf>

/** What a call answered. */
interface Outcome<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The body of a good answer. Throws the `PaywallError` that any other answer tells. */
export async function take<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new PaywallError({ status: 0, code: 'invalid_response', message: 'The answer is not JSON.' }, { cause })
  })
  if (!response.ok || data === undefined) throw errorOf(response, error)
  return data
}
