import type { HonoRequest } from 'hono'
import type * as z from 'zod'
import { codeMeaning } from './code-meanings.ts'
import { ApiError, apiError } from './errors.ts'
import { sharedErrors } from './shared-errors.ts'

/** Maximum size of a JSON body, in bytes. */
const JSON_LIMIT = 64 * 1024

/** How much of a refused body is still read, in bytes, and for how long: see `readOn`. */
const READ_ON_BYTES = 4 * 1024 * 1024
const READ_ON_MS = 1_000

/** Text that Postgres cannot store, as JSON.stringify escapes it: NUL, and lone surrogates. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/** JSON text that may contain a number too large for JavaScript, which would parse it as infinity. */
const MAYBE_INFINITE = /[eE]\+?\d{3}|\d{200}/

/**
 * Reads a JSON body and parses it with the schema. An empty body counts as `{}`. The message of the first issue becomes the error code: a
 * schema has the contract's codes as messages, in the order in which they are checked. `onRead` receives the fields of the body before they
 * are checked.
 *
 * @throws ApiError 413 `payload_too_large`, 400 `invalid_json`, 400 with the schema's code
 */
export async function parseJson<Schema extends z.ZodType>(
  request: HonoRequest,
  schema: Schema,
  onRead?: (fields: Record<string, unknown>) => void,
): Promise<z.output<Schema>> {
  const body = readJson(await readText(request.raw, JSON_LIMIT))
  if (onRead && typeof body === 'object') onRead({ ...body })
  return parse(schema, body)
}

/** Parses the query string with the schema, as `parseJson` does. If a name is repeated, its first value counts. */
export async function parseQuery<Schema extends z.ZodType>(
  request: HonoRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  const query = request.query()
  for (const value of Object.values(query)) {
    if (value.includes('\0')) throw apiError(sharedErrors.invalid_query, { message: 'Text must not contain NUL' })
  }
  return parse(schema, query)
}

/**
 * Parses the `Idempotency-Key` header: a UUID, bare or in quotes as the IETF draft prescribes. Null if it was not sent.
 *
 * @throws ApiError 400 `Invalid Idempotency-Key format`
 */
export function parseIdempotencyKey(request: HonoRequest): string | null {
  const header = request.header('idempotency-key')
  if (header === undefined) return null
  const key = /^("?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\1$/i.exec(header.trim())?.[2]
  if (!key) throw apiError(sharedErrors.invalid_key_format)
  return key.toLowerCase()
}

/** Parses a value with the schema. The message of the first issue becomes the error code, and `message` explains what is allowed. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const code = issue?.message ?? 'invalid_body'
  throw new ApiError([400, code, code, ownExplanation(issue) ?? codeMeaning(code)])
}

/** What a check gives as `explanation`, because its code is made of names. */
function ownExplanation(issue: z.core.$ZodIssue | undefined): string | undefined {
  const explanation: unknown = issue?.code === 'custom' ? issue.params?.explanation : undefined
  return typeof explanation === 'string' ? explanation : undefined
}

/**
 * Reads a body as text, of at most `limit` bytes. A body with a Content-Length is read at once, which is cheaper: the runtime enforces that
 * length. One without is counted while it is read, so that it takes no more memory than the limit. hono/body-limit does not drain what it
 * refuses, so that most clients would see a broken connection instead of the 413.
 *
 * @throws ApiError 413 `payload_too_large`, 400 `invalid_json` for bytes that are not UTF-8, and for an incomplete body
 */
export async function readText(request: Request, limit: number): Promise<string> {
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) <= limit)
    return decode([new Uint8Array(await request.arrayBuffer().catch(refuseHalf))])
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = length === null ? 0 : Infinity
  while (reader && size <= limit) {
    const { done, value } = await reader.read().catch(refuseHalf)
    if (done) return decode(chunks)
    size += value.byteLength
    chunks.push(value)
  }
  if (!reader) return ''
  await readOn(reader)
  throw apiError(sharedErrors.payload_too_large)
}

/** An incomplete body: its client disconnected, or announced more than it sent. */
function refuseHalf(cause: unknown): never {
  throw new ApiError(sharedErrors.invalid_json, { cause, detail: { message: 'The body is incomplete' } })
}

/** Rejects bytes that are not UTF-8: a lenient decoder would replace them, and the replacements would be stored. */
function decode(chunks: Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  } catch (cause) {
    throw new ApiError(sharedErrors.invalid_json, { cause, detail: { message: 'The body is not UTF-8' } })
  }
}

/**
 * Reads on for a moment after a refusal: a client that is still sending when the connection closes never reads the response. If the client
 * has disconnected, it needs no response, so a failure to read on is ignored.
 */
async function readOn(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const over = new Promise<void>((resolve) => setTimeout(resolve, READ_ON_MS))
  for (let left = READ_ON_BYTES; left > 0; ) {
    const chunk = await Promise.race([reader.read().catch(() => undefined), over])
    if (!chunk || chunk.done) return
    left -= chunk.value.byteLength
  }
}

function readJson(text: string): unknown {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text, MAYBE_INFINITE.test(text) ? refuseInfinite : undefined)
    if (!text.includes('\\u') || !UNSTORABLE.test(JSON.stringify(value))) return value
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError(sharedErrors.invalid_json, { cause })
  }
  throw apiError(sharedErrors.invalid_json, { message: 'Text must not contain NUL or lone surrogates' })
}

function refuseInfinite(_name: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  throw apiError(sharedErrors.invalid_json, { message: 'A number is too large' })
}
