// A processor's API over plain `fetch`, for those whose SDK is too large for a Worker or does not run in one; and the reading of replies
// for all.
import type * as z from 'zod'
import { ProcessorError, UnexpectedReply } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'

/**
 * workerd sends no User-Agent by itself, and firewalls refuse calls without one. The version is that of package.json, which a test checks.
 */
export const USER_AGENT = 'paywall-billing/0.1.0'

/** A checkout makes at most three calls: even if each takes this long, its claim's lease ends later. */
export const TIMEOUT_MS = 8_000

/** Maximum size of a reply in bytes, larger than any that we request: a longer one is not read to its end. */
export const REPLY_LIMIT = 4 * 1024 * 1024

/** Upper limit of a processor's `Retry-After`, in seconds. */
const LONGEST_RETRY_AFTER = 3600

export interface RestCall {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string
}

/** A response, completely read. */
export interface RestReply {
  status: number
  ok: boolean
  headers: Headers
  bytes: Uint8Array<ArrayBuffer>
  text: string
  /** Null for a body that is not JSON, such as a firewall's page. */
  body: unknown
  /** The `Retry-After` in seconds; null if there is none. */
  retryAfter: number | null
}

/** An error response in the processor's own format. */
export class RestError extends ProcessorError {
  override name = 'RestError'
  readonly status: number
  readonly body: unknown

  /** `what` is logged: it must not quote anything that we sent, such as an e-mail address. */
  constructor(acquiring: ProcessorName, reply: RestReply, what: string, kind = classifyStatus(reply.status)) {
    const { status, body, retryAfter } = reply
    // 409: a call with the same idempotency key is still running, so its outcome is not known yet.
    super(acquiring, kind, `${what} (${status})`.trimStart(), { answered: status !== 409, retryAfter })
    this.status = status
    this.body = body
  }

  /** Whether the object of the path does not exist, or no longer exists. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 410
  }
}

/** Converts an error response; null if it is not in the processor's error format: then it comes from something in between. */
type Refuse = (reply: RestReply) => RestError | null

/**
 * Makes one call and returns the JSON of a 2xx response; null for a body that is not JSON.
 *
 * @throws ProcessorError
 */
export const callRest = async (...call: Parameters<typeof requestRest>): Promise<unknown> =>
  (await requestRest(...call)).body

/**
 * Makes one call and returns its 2xx response.
 *
 * @throws ProcessorError
 */
export async function requestRest(
  acquiring: ProcessorName,
  send: typeof fetch,
  { method, url, headers, body }: RestCall,
  refuse: Refuse,
): Promise<RestReply> {
  const reply = await fetchWithTimeout(acquiring, send, url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (reply.ok) return reply
  throw refuse(reply) ?? foreignReply(acquiring, reply)
}

/**
 * Sends a request and reads the response, up to the limit.
 *
 * @throws ProcessorError unavailable
 */
export async function fetchWithTimeout(
  acquiring: ProcessorName,
  send: typeof fetch,
  url: string,
  request: RequestInit,
): Promise<RestReply> {
  const headers = new Headers(request.headers)
  headers.set('User-Agent', USER_AGENT)
  try {
    const response = await send(url, { ...request, headers, redirect: 'manual' })
    const { status, ok } = response
    const bytes = await readBytes(response)
    const text = new TextDecoder().decode(bytes)
    const retryAfter = readRetryAfter(response.headers.get('retry-after'))
    return { status, ok, headers: response.headers, bytes, text, body: readJson(text), retryAfter }
  } catch (cause) {
    throw new ProcessorError(acquiring, 'unavailable', 'no response', { answered: false, cause })
  }
}

/** The error for a response that did not come from the processor's API: the outcome of the call is unknown, whatever the status. */
function foreignReply(acquiring: ProcessorName, { status, retryAfter }: RestReply): ProcessorError {
  return new ProcessorError(acquiring, 'unavailable', `unexpected response (${status})`, {
    answered: false,
    retryAfter,
  })
}

/**
 * Parses a processor's reply. If it is invalid, the outcome of the call is unknown. The error names the invalid fields and quotes nothing
 * of the reply.
 *
 * @throws UnexpectedReply
 */
export function parseReply<Schema extends z.ZodType>(
  acquiring: ProcessorName,
  schema: Schema,
  reply: unknown,
): z.output<Schema> {
  try {
    return schema.parse(reply)
  } catch (error) {
    throw new UnexpectedReply(acquiring, listFaults(error))
  }
}

/** Classifies a status by what the caller can do about it, if the processor has no error code of its own. */
export function classifyStatus(status: number): ProcessorError['kind'] {
  if (status === 401 || status === 403) return 'misconfigured'
  if (status === 408 || status === 409 || status === 429 || status < 400 || status >= 500) return 'unavailable'
  return 'rejected'
}

const MOST_FAULTS = 5

/** Lists the invalid fields of a reply. An invalid amount is detected on conversion, and not by its schema. */
function listFaults(error: unknown): string {
  const { issues } = error as Partial<z.ZodError>
  if (!issues) return 'impossible value'
  const faults = issues.slice(0, MOST_FAULTS).map(({ path, code }) => `${path.join('.') || 'body'} ${code}`)
  return faults.join(', ')
}

async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > REPLY_LIMIT) throw new RangeError(`response larger than ${REPLY_LIMIT} bytes`)
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** Parses the header (RFC 9110): seconds, or a date. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return null
  return Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_RETRY_AFTER)
}

/** Null for a body that is not JSON, such as a proxy's error page. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
