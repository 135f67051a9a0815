import createClient from 'openapi-fetch'
import { errorOf, PaywallError } from './error.ts'
import type { paths } from './generated/api.ts'
import { send } from './retry.ts'
import { VERSION } from './version.ts'

/** What every client can be given. */
export interface ClientOptions {
  /** The paywall's id. */
  paywall: string
  /** The service's origin, or that of the paywall's own domain. */
  baseUrl: string
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

const TIMEOUT_MS = 10_000

/** A client of all operations of the API's document. `credential` gives the headers that say who calls. */
export function clientOf(options: ClientOptions, credential: () => Record<string, string>) {
  const { paywall, baseUrl, timeout = TIMEOUT_MS } = options
  return ({ signal = null, timeout: own = timeout }: { signal?: AbortSignal | null; timeout?: number } = {}) => {
    const how = {
      signal,
      timeout: own,
      fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
    }
    return createClient<paths>({
      baseUrl,
      headers: { 'X-Paywall-Id': paywall, 'X-SDK-Version': `paywall-billing-sdk ${VERSION}`, ...credential() },
      fetch: (request) => send(request, how),
    })
  }
}

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
