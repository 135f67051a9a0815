import * as z from 'zod'
import type { AdapterOptions } from '../adapter.ts'
import { callRest, classifyStatus, parseReply, RestError, type RestReply } from '../rest.ts'

export type Fields = Record<string, string | number>

/** The API calls. `get` returns null for what the site does not have. */
export interface Calls {
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null>
  /** `key`: the idempotency key, valid for half an hour. */
  post(path: string, fields: Fields, key?: string): Promise<unknown>
}

/** Chargebee's API v2 of a site. */
export function chargebeeApi(
  { site, apiKey }: { site: string; apiKey: string },
  { base, fetch: send }: Pick<AdapterOptions, 'base' | 'fetch'>,
): Calls {
  const root = `${base ?? `https://${site}.chargebee.com`}/api/v2`
  const common = { Accept: 'application/json', Authorization: `Basic ${btoa(`${apiKey}:`)}` }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }
  return {
    post(path, fields, key) {
      const headers = { ...common, ...form, ...(key !== undefined && { 'chargebee-idempotency-key': key }) }
      const call = { method: 'POST', url: `${root}${path}`, headers, body: encode(fields) } as const
      return callRest('chargebee', send, call, refuse)
    },
    async get(path, schema) {
      try {
        const call = { method: 'GET', url: `${root}${path}`, headers: common } as const
        return parse(schema, await callRest('chargebee', send, call, refuse))
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
  }
}

export const parse = <Schema extends z.ZodType>(schema: Schema, reply: unknown) =>
  parseReply('chargebee', schema, reply)

/** Whether the site does not have the object of a call. */
export const isMissing = (error: unknown) => error instanceof RestError && error.isMissing && error.kind === 'rejected'

/** Chargebee expects slashes in an invoice's id unencoded. */
export const inPath = (id: string) => encodeURIComponent(id).replaceAll('%2F', '/')

export const encode = (fields: Fields) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])).toString()

const word = z.string().regex(/^[\w[\]]{1,100}$/)
const ErrorBody = z.object({
  api_error_code: z.union([word, z.string().transform(() => undefined)]),
  param: word.optional().catch(undefined),
})

/** Errors that only the owner can fix, in the dashboard or in the paywall file. */
const SITE_ERRORS = ['configuration_incompatible', 'site_not_found', 'site_not_ready']

/** Whether Chargebee refused a call because of the buyer's e-mail address. */
export const isRefusedEmail = (error: unknown) =>
  error instanceof RestError && ErrorBody.safeParse(error.body).data?.param === 'customer[email]'

/** Chargebee's `message` may quote what we sent, such as an e-mail address, so only its codes are logged. */
function refuse(reply: RestReply): RestError | null {
  const { status, body } = reply
  const error = ErrorBody.safeParse(body)
  if (!error.success) return null
  const { api_error_code: code, param } = error.data
  const what = [code, param].filter(Boolean).join(' ')
  // A 404 without this code does not come from the API, so it does not mean that something does not exist.
  const isElsewhere = status === 404 && code !== 'resource_not_found'
  const kind = SITE_ERRORS.includes(code ?? '') || isElsewhere ? 'misconfigured' : classifyStatus(status)
  return new RestError('chargebee', reply, what, kind)
}
