// A processor's API over plain `fetch`, for those whose SDK is too large for a Worker or does not run in one.
import type { Acquiring } from './acquiring.ts'
import { ProcessorError } from './processor.ts'

/** A checkout makes three calls at most: even if each takes this long, its claim's lease ends later. */
const TIMEOUT_MS = 8_000

export interface RestCall {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string
}

/** An error response, its body as far as it is JSON. */
export class RestError extends ProcessorError {
  override name = 'RestError'
  readonly status: number
  readonly body: unknown

  /** `what` goes into the log: it must not quote what we sent, such as an e-mail address. */
  constructor(acquiring: Acquiring, status: number, body: unknown, what: string, kind = kindOf(status)) {
    // 409: a call with the same idempotency key is still running, so its outcome is not known yet.
    super(acquiring, kind, `${what} (${status})`.trimStart(), { answered: status !== 409 })
    this.status = status
    this.body = body
  }

  /** Whether what the path names does not exist, or does not exist any more. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 410
  }
}

/**
 * Makes one call and gives the JSON of a 2xx response; null for a body that is not JSON. `refuse` makes an error of any other
 * response, which is thrown.
 *
 * @throws ProcessorError
 */
export async function callRest(
  acquiring: Acquiring,
  send: typeof fetch,
  { method, url, headers, body }: RestCall,
  refuse: (status: number, body: unknown) => RestError,
): Promise<unknown> {
  const response = await reach(acquiring, send, url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const json = readJson(response.text)
  if (response.ok) return json
  throw refuse(response.status, json)
}

/** What a caller can do about a status, where the processor has no words of its own for it. */
export function kindOf(status: number): ProcessorError['kind'] {
  if (status === 401 || status === 403) return 'misconfigured'
  if (status === 408 || status === 409 || status === 429 || status < 400 || status >= 500) return 'unavailable'
  return 'rejected'
}

async function reach(acquiring: Acquiring, send: typeof fetch, url: string, request: RequestInit) {
  try {
    const response = await send(url, request)
    return { ok: response.ok, status: response.status, text: await response.text() }
  } catch (cause) {
    throw new ProcessorError(acquiring, 'unavailable', 'no answer', { answered: false, cause })
  }
}

/** Null for a body that is not JSON, such as the error page of a proxy. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
