import type * as z from 'zod'
import type { Words } from './errors.ts'

/** The chapters of the API's document. */
export type Tag = 'Paywall' | 'Checkout' | 'Subscription' | 'Tokens' | 'Support' | 'Sign-in' | 'Processors'

/** Whom an operation lets in: an owner by its key, a user by its token, anybody. */
export type Access = 'owner' | 'user' | 'anybody'

/**
 * What the API's document says of one method of one path. Each Worker's `contract.ts` exports its own, made of the
 * schemas that it parses with and the words that it refuses with.
 */
export interface ApiOperation {
  /** Names it for clients that are made from the document. */
  id: string
  method: 'get' | 'post'
  /** As Hono writes it; `:id` is the paywall everywhere. */
  path: string
  tag: Tag
  summary: string
  description: string
  access: Access[]
  /** The path's own parameters, besides `:id`. */
  params?: z.ZodObject
  query?: z.ZodType
  /** What the JSON body may be, by the names that the schemas have in the document. */
  bodies?: Record<string, z.ZodType>
  /** Whether some callers need not send one. */
  bodyOptional?: boolean
  /** A body whose bytes are looked at, and not what they say. */
  rawBody?: { name: string; schema: z.ZodType }
  /** What `bodies` are as a multipart form. */
  form?: { name: string; schema: z.ZodType; contentTypes: Record<string, string> }
  /** A body, or the query, as somebody sends it. */
  example?: Record<string, unknown>
  reply: ApiReply
  /** A `{name}` in a word stands for what the answer says there. */
  words: Words
  /** The members beside `error`, by refusal. */
  details?: Record<string, z.ZodObject>
  /** Refusals that come with `Retry-After`; those with 429 do anyway. */
  retried?: string[]
  /** Takes an Idempotency-Key, and marks what it answers a repeat. */
  idempotent?: boolean
  /**
   * A repeat without an Idempotency-Key takes effect again. So a 503 has no `Retry-After` where it is not known whether the
   * call took effect.
   */
  unrepeatable?: boolean
  /** Answers `If-None-Match`. */
  conditional?: boolean
  /** Takes the end user's address in X-Client-Ip. */
  clientIp?: boolean
  /** Says each error as `code` too. */
  saysCode?: boolean
  /** What it needs besides the database, and what may fail therefore. */
  needs?: ('processor' | 'storage')[]
}

export interface ApiReply {
  status: 200 | 303
  description: string
  /** None: an answer without a body, that redirects. */
  body?: { name: string; schema: z.ZodType; example: unknown }
}
