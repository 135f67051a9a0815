import * as z from 'zod'
import { sha256Hex } from '../../crypto/crypto.ts'
import type { AdapterOptions } from '../adapter.ts'
import { callRest, parseReply, type RestCall, RestError, type RestReply } from '../rest.ts'

const ErrorBody = z.object({ status: z.int(), title: z.string().nullish(), field: z.string().nullish() })

/** @throws UnexpectedReply */
export const parse = <Schema extends z.ZodType>(schema: Schema, reply: unknown): z.output<Schema> =>
  parseReply('mollie', schema, reply)

/** An error response of Mollie. Its `detail` may quote what we sent, such as an e-mail address, so it is omitted. */
export class MollieApiError extends RestError {
  override name = 'MollieApiError'
  /** The invalid field of the body, if Mollie names one. */
  readonly field: string | null

  constructor(reply: RestReply, { title, field }: z.output<typeof ErrorBody>) {
    super('mollie', reply, [title, field].filter(Boolean).join(' '))
    this.field = field ?? null
  }
}

/** Mollie's API v2. Each call resolves to the JSON of a 2xx response, and throws `ProcessorError` for anything else. */
export interface MollieApi {
  get(path: string): Promise<unknown>
  /** `key` is the call's idempotency key, any text: a retry with the same key has no second effect. */
  post(path: string, body: object, key: string): Promise<unknown>
  patch(path: string, body: object): Promise<unknown>
  delete(path: string): Promise<unknown>
}

export function mollieApi(apiKey: string, { base, fetch }: Pick<AdapterOptions, 'base' | 'fetch'>): MollieApi {
  const root = `${base ?? 'https://api.mollie.com'}/v2`

  async function ask(method: RestCall['method'], path: string, body?: object, key?: string): Promise<unknown> {
    const headers = {
      Accept: 'application/hal+json',
      Authorization: `Bearer ${apiKey}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(key && { 'Idempotency-Key': await toUuid(key) }),
    }
    const call = { method, url: `${root}${path}`, headers, ...(body && { body: JSON.stringify(body) }) }
    return callRest('mollie', fetch, call, refuse)
  }

  return {
    get: (path) => ask('GET', path),
    post: (path, body, key) => ask('POST', path, body, key),
    patch: (path, body) => ask('PATCH', path, body),
    delete: (path) => ask('DELETE', path),
  }
}

function refuse(reply: RestReply): MollieApiError | null {
  const { data } = ErrorBody.safeParse(reply.body)
  return data ? new MollieApiError(reply, data) : null
}

/** Mollie only accepts version 4 UUIDs as keys: derived from the text's hash, so it is always the same. */
async function toUuid(text: string): Promise<string> {
  const hex = await sha256Hex(text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
