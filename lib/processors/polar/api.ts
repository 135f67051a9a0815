import { createPolarCore, type PolarCore } from '@polar-sh/sdk/2026-10'
import * as z from 'zod'
import type { AdapterOptions } from '../adapter.ts'
import type { ProcessorError } from '../processor.ts'
import { classifyStatus, parseReply, type RestCall, RestError, type RestReply, requestRest } from '../rest.ts'

/** What a 202, which has no body, is read as: the SDK does not pass its status on. */
const IN_PROGRESS = { in_progress: true } as const

/**
 * A test account is in Polar's sandbox, which is another host; a token does not show its mode.
 *
 * The SDK only builds the requests. It supports no `fetch` but the runtime's own, and has no timeout for the body, so we send them.
 */
export function polarApi(accessToken: string, { base, fetch, isTest }: AdapterOptions): PolarCore {
  const environment = isTest ? 'sandbox' : 'production'
  const core = createPolarCore({ accessToken, environment, ...(base !== null && { baseUrl: base }) })
  core.sendRequest = async ([url, { method, headers, body }]) => {
    const call = { method: method as RestCall['method'], url, headers: Object.fromEntries(new Headers(headers)) }
    const sent = typeof body === 'string' ? { ...call, body } : call
    const { status, body: reply } = await requestRest('polar', fetch, sent, refuse)
    return Response.json(status === 202 ? IN_PROGRESS : reply)
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

/** 403 refusals of Polar that are not caused by the owner's settings. */
const REJECTIONS = [
  'AlreadyCanceledSubscription',
  'AlreadyActiveSubscriptionError',
  'InactiveSubscription',
  'RefundDisputedPayment',
  'RefundedAlready',
  'RefundsBlocked',
  'TrialAlreadyRedeemed',
]

/** An error response of Polar. */
export class PolarRefusal extends RestError {
  override name = 'PolarRefusal'
  /** Polar has no idempotency keys, so a 409 is a normal response: nothing was done. */
  override readonly answered = true
  readonly code: string
  /** The invalid fields of the request, such as `body.customer_id`. */
  readonly fields: string[]

  constructor(reply: RestReply, { error, detail }: z.output<typeof ErrorBody>) {
    const code = error ?? ''
    const fields = (Mistakes.safeParse(detail).data ?? []).map(({ loc }) => loc.join('.'))
    // The invalid fields are logged, but neither Polar's message nor the input: they may quote an e-mail address.
    super('polar', reply, [code, ...fields].filter(Boolean).join(' '), classifyRefusal(reply.status, code))
    this.code = code
    this.fields = fields
  }

  /** Any other 404 is about an unknown path or version, and says nothing about the object. */
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
