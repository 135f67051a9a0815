import * as z from 'zod'
import { sha256Hex } from '../../crypto/crypto.ts'
import { ProcessorError } from '../processor.ts'

/** A checkout makes three calls at most: even if each takes this long, its claim's lease ends later. */
const TIMEOUT_MS = 8_000

const ErrorBody = z.object({ title: z.string().nullish(), field: z.string().nullish() })

/** An error response of Mollie. */
export class MollieApiError extends ProcessorError {
  override name = 'MollieApiError'
  readonly status: number
  /** The field of the body that is wrong, if Mollie names one. */
  readonly field: string | null
  /** Whether the object that the path names does not exist, or does not exist any more. */
  readonly isMissing: boolean

  constructor(status: number, { title, field }: z.output<typeof ErrorBody>) {
    // Mollie's `detail` may quote what we sent, such as an e-mail address, so it must not get into the log.
    // 409: a call with the same idempotency key is still running at Mollie, so its outcome is not known yet.
    const answered = status !== 409
    super('mollie', kindOf(status), [title, field, `(${status})`].filter(Boolean).join(' '), { answered })
    this.status = status
    this.field = field ?? null
    this.isMissing = status === 404 || status === 410
  }
}

/** Mollie's API v2. Each call resolves to the JSON of a 2xx response, and throws `ProcessorError` for anything else. */
export interface MollieApi {
  get(path: string): Promise<unknown>
  /** `key` is the call's idempotency key, any text: a repeat with the same key has no second effect. */
  post(path: string, body: object, key?: string): Promise<unknown>
  patch(path: string, body: object): Promise<unknown>
  delete(path: string): Promise<unknown>
}

/** `base` is an origin; empty means Mollie's own. */
export function mollieApi(apiKey: string, base: string): MollieApi {
  const root = `${base || 'https://api.mollie.com'}/v2`

  async function ask(method: string, path: string, body?: object, key?: string): Promise<unknown> {
    const response = await reach(`${root}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': await uuidOf(key) }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const reply = readJson(response.text)
    if (response.ok) return reply
    throw new MollieApiError(response.status, ErrorBody.safeParse(reply).data ?? {})
  }

  return {
    get: (path) => ask('GET', path),
    post: (path, body, key) => ask('POST', path, body, key),
    patch: (path, body) => ask('PATCH', path, body),
    delete: (path) => ask('DELETE', path),
  }
}

async function reach(url: string, request: RequestInit) {
  try {
    const response = await fetch(url, request)
    return { ok: response.ok, status: response.status, text: await response.text() }
  } catch (cause) {
    throw new ProcessorError('mollie', 'unavailable', 'no answer', { answered: false, cause })
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

function kindOf(status: number): ProcessorError['kind'] {
  if (status === 401 || status === 403) return 'misconfigured'
  if (status === 408 || status === 409 || status === 429 || status < 400 || status >= 500) return 'unavailable'
  return 'rejected'
}

/** Mollie takes only UUIDs of version 4 as keys: this one is made of the text's hash, so it is the same each time. */
async function uuidOf(text: string): Promise<string> {
  const hex = await sha256Hex(text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
