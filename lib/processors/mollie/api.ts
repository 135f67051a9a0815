import * as z from 'zod'
import { sha256Hex } from '../../crypto/crypto.ts'
import { ProcessorError } from '../processor.ts'

/** A checkout takes three calls of this length at most, which end before a claim's lease does. */
const TIMEOUT_MS = 8_000

const ErrorBody = z.object({ title: z.string().nullish(), field: z.string().nullish() })

/** What Mollie answered instead of doing it. */
export class MollieRefusal extends ProcessorError {
  override name = 'MollieRefusal'
  readonly status: number
  /** The member of the body that it minds, if it names one. */
  readonly field: string | null
  /** Whether what the path names is not there, or not any more. */
  readonly isMissing: boolean

  constructor(status: number, { title, field }: z.output<typeof ErrorBody>) {
    // The `detail` that Mollie adds may quote what was sent, an e-mail address perhaps: it stays out of the log.
    super('mollie', kindOf(status), [title, field, `(${status})`].filter(Boolean).join(' '), { answered: true })
    this.status = status
    this.field = field ?? null
    this.isMissing = status === 404 || status === 410
  }
}

/** Mollie's API v2. Each call resolves to the JSON it answered and throws `ProcessorError` where it did not do it. */
export interface MollieApi {
  get(path: string): Promise<unknown>
  /** `key` names the call: repeated, it has no second effect. */
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
    const answer = readJson(response.text)
    if (response.ok) return answer
    throw new MollieRefusal(response.status, ErrorBody.safeParse(answer).data ?? {})
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

/** Null for what is not JSON: an error page of whatever stands before Mollie. */
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

/** Mollie wants UUIDs of version 4 for keys. The same text makes the same one. */
async function uuidOf(text: string): Promise<string> {
  const hex = await sha256Hex(text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
