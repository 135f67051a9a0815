import * as z from 'zod'
import type { AdapterOptions } from '../adapter.ts'
import { ProcessorError } from '../processor.ts'
import { parseReply, type RestCall, RestError, type RestReply, requestRest } from '../rest.ts'

const API = 'https://fast-api.freemius.com'

/** Maximum page size of a list. */
const PAGE = 50

/** Upper limit of a list, more than any buyer has: a longer list repeats itself. */
const MOST_ROWS = 2_000

/** Freemius' API v1 of a product. Paths begin at the product. */
export interface FreemiusApi {
  request(method: RestCall['method'], path: string, body?: object): Promise<RestReply>
  /** Resolves to the body. */
  ask(method: RestCall['method'], path: string, body?: object): Promise<unknown>
  /** Null if Freemius does not have it, or no longer has it. */
  find<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null>
  /** Fetches all pages of a list; `query`: further parameters. */
  list<Row>(path: string, read: (reply: unknown) => Row[], query?: Record<string, string>): Promise<Row[]>
}

export function freemiusApi(
  { productId, apiKey }: { productId: string; apiKey: string },
  { base, fetch }: Pick<AdapterOptions, 'base' | 'fetch'>,
): FreemiusApi {
  const product = `${base ?? API}/v1/products/${productId}`

  const request: FreemiusApi['request'] = (method, path, body) => {
    const headers = { Authorization: `Bearer ${apiKey}`, ...(body && { 'Content-Type': 'application/json' }) }
    const call = { method, url: `${product}/${path}`, headers, ...(body && { body: JSON.stringify(body) }) }
    return requestRest('freemius', fetch, call, refusal)
  }

  const ask: FreemiusApi['ask'] = async (...call) => (await request(...call)).body

  return {
    request,
    ask,
    async find(path, schema) {
      try {
        return parse(schema, await ask('GET', path))
      } catch (error) {
        if (error instanceof RestError && error.isMissing) return null
        throw error
      }
    },
    async list<Row>(path: string, read: (reply: unknown) => Row[], query: Record<string, string> = {}) {
      const rows: Row[] = []
      for (let offset = 0; offset < MOST_ROWS; offset += PAGE) {
        const parameters = new URLSearchParams({ count: String(PAGE), offset: String(offset), ...query })
        const page = read(await ask('GET', `${path}?${parameters}`))
        rows.push(...page)
        if (page.length < PAGE) return rows
      }
      throw new ProcessorError('freemius', 'unavailable', `list of more than ${MOST_ROWS} rows`, { answered: true })
    },
  }
}

/** Encodes a part of a path. */
export const segment = encodeURIComponent

export const rejected = (message: string) => new ProcessorError('freemius', 'rejected', message, { answered: true })

export const parse = <Schema extends z.ZodType>(schema: Schema, reply: unknown) => parseReply('freemius', schema, reply)

const code = z.string().regex(/^[\w.]{1,60}$/)
const ErrorBody = z.object({ error: z.object({ code: code.catch('') }) })

/** Freemius' message may quote what we sent, such as an e-mail address, so only the error's code is logged. */
function refusal(reply: RestReply): RestError | null {
  const { data } = ErrorBody.safeParse(reply.body)
  return data ? new RestError('freemius', reply, data.error.code) : null
}
