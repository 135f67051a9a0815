import type * as z from 'zod'
import type { ErrorTable } from './errors.ts'

/** The tags of the API's document. */
export type Tag =
  | 'Paywall'
  | 'Checkout'
  | 'Subscription'
  | 'Purchases'
  | 'Tokens'
  | 'Grants'
  | 'Support'
  | 'Events'
  | 'Sign-in'
  | 'Processors'

/** Who may call: an owner with its key, a user with its token, anybody without either. */
export type Access = 'owner' | 'user' | 'anybody'

/**
 * How the gateway counts a call for rate limiting: by an owner's key, a user's token, or the caller's address. A caller without the
 * credential is counted by address. `signature`: by the address and the path, with a guest's limit until a correctly signed call has come
 * from there. `network`: by a wide network with a large limit, for what a page loads.
 */
export type CountedBy = 'key' | 'token' | 'address' | 'signature' | 'network'

/** One method of one path: everything that the gateway needs to route a request. */
export interface Endpoint {
  method: 'get' | 'post'
  /** In Hono's syntax. `:id` is always the paywall's id. */
  path: string
  access: Access[]
  /** Set only if it does not follow from `access`: see `countedBy`. */
  countedBy?: CountedBy
  /** Whether the code of an error is repeated as `code` beside `error`. */
  duplicateCode?: boolean
}

/**
 * How the calls of an endpoint are counted. A credential that the endpoint ignores must not count: by inventing a new one for every call, a
 * caller would get a new limit each time.
 */
export function countedBy({ access, countedBy }: Endpoint): CountedBy {
  if (countedBy) return countedBy
  if (access.includes('owner')) return 'key'
  return access.includes('user') ? 'token' : 'address'
}

/**
 * Whether clients make the call, with an SDK or without, and may therefore send their version and their paywall's id. Processors make the
 * others: webhooks and redirects.
 */
export const isClientOperation = ({ tag, reply }: ApiOperation): boolean => tag !== 'Processors' && reply.status === 200

/**
 * One method of one path in the API's document. The `contract.ts` of each Worker exports its own, built from the schemas that the Worker
 * parses with and its table of errors. Contracts contain no function call inside of it, so that the bundler can drop them and their texts
 * from the Worker.
 */
export interface ApiOperation extends Endpoint {
  /** The `operationId`, which names the methods of generated clients. */
  id: string
  tag: Tag
  summary: string
  description: string
  /** Schema of the path parameters besides `:id`. */
  params?: z.ZodObject
  /** An example of these parameters. */
  exampleParams?: Record<string, string>
  query?: z.ZodType
  /** Schemas of the JSON body, by their names in the document. */
  bodies?: Record<string, z.ZodType>
  /** Whether some callers may omit the body. */
  bodyOptional?: boolean
  /** A body that is verified byte by byte and not parsed with a schema. */
  rawBody?: { name: string; schema: z.ZodType }
  /** The same request as `bodies`, sent as a multipart form. */
  form?: { name: string; schema: z.ZodType; contentTypes: Record<string, string> }
  /** An example of the body or the query. */
  example?: Record<string, unknown>
  reply: ApiReply
  /** When a browser gets a page with status 200 instead of the reply. */
  page?: string
  /** A `{name}` in an error is a placeholder that each response fills in. */
  errors: ErrorTable
  /** The fields beside `error`, by refusal. */
  details?: Record<string, z.ZodObject>
  /** Refusals that come with `Retry-After`. Those with status 429 always do. */
  retried?: string[]
  /** Accepts an `Idempotency-Key`, and marks a replay with `Idempotency-Replayed`. */
  idempotent?: boolean
  /**
   * For an operation whose retry could take effect twice, or be refused because the first call took effect: what is unknown after a 503
   * without `Retry-After`, and what to do then.
   */
  ifOutcomeUnknown?: string
  /**
   * What a retry causes if the call took effect and only its response was lost: its 503 has `Retry-After` then, too. Absent if such a retry
   * is harmless.
   */
  ifResponseLost?: string
  /** Supports `If-None-Match`. */
  conditional?: boolean
  /** Accepts the end user's address in `X-Client-Ip`. */
  clientIp?: boolean
  /** Dependencies besides the database: each adds its errors to the document. */
  needs?: ('processor' | 'storage')[]
}

export interface ApiReply {
  status: 200 | 303
  description: string
  /** Absent for a redirect, which has no body. */
  body?: { name: string; schema: z.ZodType; example: unknown }
}
