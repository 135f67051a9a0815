import { createPolarCore, type PolarCore } from '@polar-sh/sdk/2026-10'
import * as z from 'zod'
import type { AdapterOptions } from '../adapter.ts'
import type { ProcessorError } from '../processor.ts'
import { callRest, classifyStatus, parseReply, type RestCall, RestError, type RestReply } from '../rest.ts'

/**
 * A test account is one of Polar's sandbox, which is another host; nothing in a token tells.
 *
 * The SDK builds the requests. It sends with the runtime's own `fetch` only, and has no timeout for the body,
 * so we send.
 */
export function polarApi(accessToken: string, { base, fetch, isTest }: AdapterOptions): PolarCore {
  const environment = isTest ? 'sandbox' : 'production'
  const core = createPolarCore({ accessToken, environment, ...(base !== null && { baseUrl: base }) })
  core.sendRequest = async ([url, { method, headers, body }]) => {
    const call = { method: method as RestCall['method'], url, headers: Object.fromEntries(new Headers(headers)) }
    const sent = typeof body === 'string' ? { ...call, body } : call
    return Response.json(await callRest('polar', fetch, sent, refuse))
  }
  return core
}

const Mistakes = z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), type: z.string() }))
const ErrorBody = z
  .object({
    error: z
      .string()
      .regex(/^\w{1,80}$/)
      .nullish()
      .catch(undefined),
    detail: z.unknown().optional(),
  })
  .refine(({ error, detail }) => error != null || detail != null)

/** @throws UnexpectedReply */
export const parse = <Schema extends z.ZodType>(schema: Schema, reply: unknown): z.output<Schema> =>
  parseReply('polar', schema, reply)

/** Refusals of Polar that the owner's settings have no part in, although their status is 403. */
const REJECTIONS = [
  'AlreadyCanceledSubscription',
  'AlreadyActiveSubscriptionError',
  'InactiveSubscription',
  'TrialAlreadyRedeemed',
]

/** An error response of Polar. */
export class PolarRefusal extends RestError {
  override name = 'PolarRefusal'
  /** Polar has no idempotency keys, so a 409 is an answer like any other: nothing was done. */
  override readonly answered = true
  readonly code: string
  /** The fields of the request that are wrong, such as `body.customer_id`. */
  readonly fields: string[]

  constructor(reply: RestReply, { error, detail }: z.output<typeof ErrorBody>) {
    const code = error ?? ''
    const fields = (Mistakes.safeParse(detail).data ?? []).map(({ loc }) => loc.join('.'))
    // What a mistake is about is in the log, but neither Polar's sentence nor the input: they may quote an e-mail address.
    super('polar', reply, [code, ...fields].filter(Boolean).join(' '), classifyRefusal(reply.status, code))
    this.code = code
    this.fields = fields
  }

  /** Any other 404 is of a path or version that Polar does not have, and says nothing of the object. */
  override get isMissing(): boolean {
    return this.status === 404 && this.code === 'ResourceNotFound'
  }
}

function refuse(reply: RestReply): PolarRefusal | null {
  const { data } = ErrorBody.safeParse(reply.body)
  return data ? new PolarRefusal(reply, data) : null
}

function classifyRefusal(status: number, code: string): ProcessorError['kind'] {
  if (status === 403 && REJECTIONS.includes(code)) return 'rejected'
  return status === 404 && code !== 'ResourceNotFound' ? 'unavailable' : classifyStatus(status)
}
