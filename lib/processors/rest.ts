// A processor's API over plain `fetch`, for those whose SDK is too large for a Worker or does not run in one; and how a reply is
// read, whoever has built the request.
import type * as z from 'zod'
import { ProcessorError, UnexpectedReply } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'

/**
 * Which service calls. workerd sends none by itself, and firewalls refuse calls without one. It follows package.json, which a test
 * proves.
 */
export const USER_AGENT = 'paywall-billing/0.1.0'

/** A checkout makes three calls at most: even if each takes this long, its claim's lease ends later. */
export const TIMEOUT_MS = 8_000

/** Larger than any reply that we ask for, in bytes: what is longer is not read to its end. */
export const REPLY_LIMIT = 4 * 1024 * 1024

/** The longest that a processor can hold us off by its `Retry-After`, in seconds. */
const LONGEST_RETRY_AFTER = 3600

export interface RestCall {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string
}

/** A response that was read to its end. */
export interface RestReply {
  status: number
  ok: boolean
  headers: Headers
  text: string
  /** Null for a body that is not JSON, such as the page of a firewall. */
  body: unknown
  /** How long it asks us to wait, in seconds; null: it does not. */
  retryAfter: number | null
}

/** An error response in the processor's own shape. */
export class RestError extends ProcessorError {
  override name = 'RestError'
  readonly status: number
  readonly body: unknown

  /** `what` goes into the log: it must not quote what we sent, such as an e-mail address. */
  constructor(acquiring: ProcessorName, reply: RestReply, what: string, kind = classifyStatus(reply.status)) {
    const { status, body, retryAfter } = reply
    // 409: a call with the same idempotency key is still running, so its outcome is not known yet.
    super(acquiring, kind, `${what} (${status})`.trimStart(), { answered: status !== 409, retryAfter })
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
 * response, or null of one that is not written as the processor writes its errors: then something in between has answered.
 *
 * @throws ProcessorError
 */
export async function callRest(
  acquiring: ProcessorName,
  send: typeof fetch,
  { method, url, headers, body }: RestCall,
  refuse: (reply: RestReply) => RestError | null,
): Promise<unknown> {
  const reply = await fetchWithTimeout(acquiring, send, url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (reply.ok) return reply.body
  throw refuse(reply) ?? foreignReply(acquiring, reply)
}

/**
 * Sends a request and reads the response, no further than the limit.
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
    const text = await readText(response)
    const retryAfter = readRetryAfter(response.headers.get('retry-after'))
    return { status, ok, headers: response.headers, text, body: readJson(text), retryAfter }
  } catch (cause) {
    throw new ProcessorError(acquiring, 'unavailable', 'no answer', { answered: false, cause })
  }
}

/** The error of a response that did not come from the processor's API: what became of the call is unknown, whatever its status. */
export function foreignReply(acquiring: ProcessorName, { status, retryAfter }: RestReply): ProcessorError {
  return new ProcessorError(acquiring, 'unavailable', `an unexpected answer (${status})`, {
    answered: false,
    retryAfter,
  })
}

/**
 * Parses what a processor answered. If that is not as it should be, what came of the call is unknown. The error names the fields,
 * and quotes nothing of the reply.
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

/** What a caller can do about a status, where the processor has no words of its own for it. */
export function classifyStatus(status: number): ProcessorError['kind'] {
  if (status === 401 || status === 403) return 'misconfigured'
  if (status === 408 || status === 409 || status === 429 || status < 400 || status >= 500) return 'unavailable'
  return 'rejected'
}

const MOST_FAULTS = 5

/** Where a reply is wrong. An amount that no currency has is found as it is read, and not by its schema. */
function listFaults(error: unknown): string {
  const { issues } = error as Partial<z.ZodError>
  if (!issues) return 'a value that cannot be'
  const faults = issues.slice(0, MOST_FAULTS).map(({ path, code }) => `${path.join('.') || 'body'} ${code}`)
  return faults.join(', ')
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > REPLY_LIMIT) throw new RangeError(`an answer of more than ${REPLY_LIMIT} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** A header as RFC 9110 has it: seconds, or a date. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return null
  return Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_RETRY_AFTER)
}

/** Null for a body that is not JSON, such as the error page of a proxy. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
