import type * as z from 'zod'
import type { ErrorTable } from './errors.ts'

/** The chapters of the API's document. */
export type Tag = 'Paywall' | 'Checkout' | 'Subscription' | 'Tokens' | 'Support' | 'Sign-in' | 'Processors'

/** Who may call: an owner with its key, a user with its token, anybody without either. */
export type Access = 'owner' | 'user' | 'anybody'

/**
 * What the gateway counts a call by, to brake abuse: an owner's key, a user's token, or the address it comes from.
 * A caller without the credential is counted by address. `signature`: by the address and the path, with a guest's share until one was signed rightly from there.
 * `network`: by a wide network with a large share, for what a page loads.
 */
export type CountedBy = 'key' | 'token' | 'address' | 'signature' | 'network'

/** One method of one path: all that the gateway has to know to lead a request there. */
export interface Endpoint {
  method: 'get' | 'post'
  /** In Hono's syntax. `:id` is the paywall's id everywhere. */
  path: string
  access: Access[]
  /** Set only where `access` does not tell: see `countedBy`. */
  countedBy?: CountedBy
  /** Whether an error is repeated as `code` beside `error`. */
  duplicateCode?: boolean
}

/**
 * What the calls of an endpoint are counted by. A credential that the endpoint does not look at must not count: by
 * inventing a new one for every call, a caller would get a new share of requests each time.
 */
export function countedBy({ access, countedBy }: Endpoint): CountedBy {
  if (countedBy) return countedBy
  if (access.includes('owner')) return 'key'
  return access.includes('user') ? 'token' : 'address'
}

/**
 * Whether clients make the call, with an SDK or without, and may therefore say who they are and which paywall they mean.
 * Processors make the others: they send events, and browsers back.
 */
export const isClientOperation = ({ tag, reply }: ApiOperation): boolean => tag !== 'Processors' && reply.status === 200

/**
 * One method of one path in the API's document. The `contract.ts` of each Worker exports its own, made of the schemas
 * that the Worker parses with and its table of errors. A contract writes them without a function call inside:
 * then the bundler leaves them and their texts out of the Worker.
 */
export interface ApiOperation extends Endpoint {
  /** The `operationId`: generated clients name their methods by it. */
  id: string
  tag: Tag
  summary: string
  description: string
  /** Schema of the path's own parameters, besides `:id`. */
  params?: z.ZodObject
  query?: z.ZodType
  /** Schemas that the JSON body may have, by their names in the document. */
  bodies?: Record<string, z.ZodType>
  /** Whether some callers may leave the body out. */
  bodyOptional?: boolean
  /** A body that is verified byte by byte and not parsed with a schema. */
  rawBody?: { name: string; schema: z.ZodType }
  /** The same request as `bodies`, sent as a multipart form. */
  form?: { name: string; schema: z.ZodType; contentTypes: Record<string, string> }
  /** A body, or the query, as a caller would send it. */
  example?: Record<string, unknown>
  reply: ApiReply
  /** When a browser gets a page with status 200 instead of the reply. */
  page?: string
  /** A `{name}` in a word stands for text that each answer fills in. */
  errors: ErrorTable
  /** The fields beside `error`, by refusal. */
  details?: Record<string, z.ZodObject>
  /** Refusals that come with `Retry-After`. Those with status 429 always do. */
  retried?: string[]
  /** Takes an `Idempotency-Key`, and marks a repeated answer with `Idempotency-Replayed`. */
  idempotent?: boolean
  /**
   * Of an operation whose repeat could take effect again, or be refused because the first call took effect: what is not
   * known if a 503 has no `Retry-After`, and what to do then.
   */
  ifOutcomeUnknown?: string
  /**
   * What a repeat meets if the call was carried out and only its answer was lost: its 503 has `Retry-After` then, too. Absent
   * if such a repeat does no harm.
   */
  ifResponseLost?: string
  /** Answers `If-None-Match`. */
  conditional?: boolean
  /** Takes the end user's address in `X-Client-Ip`. */
  clientIp?: boolean
  /** What the operation needs besides the database: each adds its failures to the document. */
  needs?: ('processor' | 'storage')[]
}

export interface ApiReply {
  status: 200 | 303
  description: string
  /** Absent for a redirect, which has no body. */
  body?: { name: string; schema: z.ZodType; example: unknown }
}
