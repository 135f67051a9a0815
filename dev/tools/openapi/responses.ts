import type { ApiOperation, ApiReply } from '../../../lib/http/api-operation.ts'
import { type DocumentedError, documentShared, errorSchema, listErrors } from './errors.ts'
import { type Json, referTo } from './schemas.ts'

/** Responses that are the same in all operations, by status. */
const SHARED: Record<number, { name: string; errors: DocumentedError[] }> = {
  405: { name: 'MethodNotAllowed', errors: documentShared(['method_not_allowed']) },
  413: { name: 'PayloadTooLarge', errors: documentShared(['payload_too_large']) },
  429: { name: 'TooManyRequests', errors: documentShared(['rate_limited']) },
  500: { name: 'InternalError', errors: documentShared(['failed']) },
  502: {
    name: 'ProcessorFailure',
    errors: documentShared(['processor_rejected', 'processor_unavailable', 'processor_misconfigured']),
  },
  503: { name: 'Unavailable', errors: documentShared(['database_unavailable']) },
}

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` })

export const headers: Record<string, Json> = {
  'X-Request-Id': {
    description: 'The id of the call in our log',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'WWW-Authenticate': {
    description: 'The ways to authenticate; `ApiKey` stands for the header `X-Api-Key`',
    required: true,
    schema: { type: 'string', const: 'Bearer, ApiKey' },
  },
  ETag: { description: 'The `version` of the response, in quotes', required: true, schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: 'Present if this is the response to an earlier call with the same key',
    schema: { type: 'string', const: 'true' },
  },
  Location: {
    description: 'Your `successUrl` or `errorUrl`',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  Allow: { description: 'The methods of the path', required: true, schema: { type: 'string' } },
}

/** The document's `components.responses`. */
export function sharedResponses(): Json {
  return Object.fromEntries(
    Object.entries(SHARED).map(([status, { name, errors }]) => [name, errorResponse(Number(status), errors)]),
  )
}

/** All responses of an operation, by status. */
export function toResponses(operation: ApiOperation): Json {
  const byStatus = Map.groupBy(listErrors(operation), ({ status }) => status)
  const errors = [...byStatus].map(([status, each]) => [status, useShared(status, each, operation)])
  const { reply, conditional, page } = operation
  return {
    ...(page && {
      200: {
        description: page,
        headers: { 'X-Request-Id': header('X-Request-Id') },
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    }),
    [reply.status]: successResponse(reply, operation),
    ...(conditional && {
      304: {
        description: 'Not modified since the response with this `ETag`',
        headers: { 'X-Request-Id': header('X-Request-Id'), ETag: header('ETag') },
      },
    }),
    ...Object.fromEntries(errors),
  }
}

function useShared(status: number, errors: DocumentedError[], operation: ApiOperation): Json {
  const shared = SHARED[status]
  const { duplicateCode = false } = operation
  const notes = status === 503 ? toNotes(operation) : []
  const isShared =
    shared && !duplicateCode && notes.length === 0 && JSON.stringify(shared.errors) === JSON.stringify(errors)
  if (isShared) return { $ref: `#/components/responses/${shared.name}` }
  const retried = notes.length > 0 || errors.some(({ error }) => isRetried(error, operation))
  return errorResponse(status, errors, { duplicateCode, retried, notes })
}

/** The notes of an operation's 503, besides the descriptions of the errors. */
function toNotes({ ifOutcomeUnknown, ifResponseLost }: ApiOperation): string[] {
  return [
    ...(ifOutcomeUnknown ? [`Without \`Retry-After\` ${ifOutcomeUnknown}`] : []),
    ...(ifResponseLost ? [ifResponseLost] : []),
  ]
}

const isRetried = (error: string, { retried = [], errors }: ApiOperation) =>
  retried.some((name) => errors[name]?.[1] === error)

interface ErrorResponseOptions {
  duplicateCode?: boolean
  retried?: boolean
  /** Paragraphs after the descriptions of the errors. */
  notes?: string[]
}

function errorResponse(
  status: number,
  errors: DocumentedError[],
  { duplicateCode = false, retried = false, notes = [] }: ErrorResponseOptions = {},
): Json {
  return {
    description: [describe(errors), ...notes].join('\n\n'),
    headers: {
      'X-Request-Id': header('X-Request-Id'),
      ...([429, 503].includes(status) && { 'Retry-After': header('Retry-After') }),
      ...((status === 502 || retried) && { 'Retry-After': { ...headers['Retry-After'], required: false } }),
      ...(status === 401 && { 'WWW-Authenticate': header('WWW-Authenticate') }),
      ...(status === 405 && { Allow: header('Allow') }),
    },
    content: { 'application/json': { schema: errorSchema(errors, { duplicateCode }) } },
  }
}

/** A line for each error. */
function describe(errors: DocumentedError[]): string {
  const byCode = Map.groupBy(errors, ({ error }) => error)
  return [...byCode]
    .map(([error, alike]) => `- \`${error}\`: ${[...new Set(alike.map(({ meaning }) => meaning))].join('; or ')}`)
    .join('\n')
}

function successResponse({ description, body, status }: ApiReply, { conditional, idempotent }: ApiOperation): Json {
  return {
    description,
    headers: {
      'X-Request-Id': header('X-Request-Id'),
      ...(conditional && {
        ETag: { ...headers.ETag, required: false, description: 'Absent from responses to a Bearer token' },
      }),
      ...(idempotent && { 'Idempotency-Replayed': header('Idempotency-Replayed') }),
      ...(status === 303 && { Location: header('Location') }),
    },
    ...(body && { content: { 'application/json': { schema: referTo(body.name), example: body.example } } }),
  }
}
