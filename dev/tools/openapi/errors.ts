import { type ApiOperation, isClientOperation } from '../../../lib/http/api-operation.ts'
import { codeMeaning } from '../../../lib/http/code-meanings.ts'
import type { ErrorTable } from '../../../lib/http/errors.ts'
import { sharedErrors } from '../../../lib/http/shared-errors.ts'
import { listCodes } from './codes.ts'
import { inlineSchema, isObject, type Json, referTo } from './schemas.ts'

/** One way in which a call can fail. */
export interface DocumentedError {
  status: number
  error: string
  meaning: string
  /** The schema of the body's fields besides `error`. */
  detail: Json | null
}

type SharedName = keyof typeof sharedErrors

/** The errors that are not in an operation's own table: those of every call, and those that follow from its properties. */
function sharedBy(operation: ApiOperation): SharedName[] {
  const json = operation.bodies !== undefined
  return [
    ...(hasChoices(operation) ? (['not_found'] as const) : []),
    ...(json || operation.rawBody ? (['invalid_json', 'payload_too_large'] as const) : []),
    ...(operation.query ? (['invalid_query'] as const) : []),
    ...(operation.idempotent ? (['invalid_key_format'] as const) : []),
    ...(isClientOperation(operation) ? (['paywall_id_mismatch'] as const) : []),
    'rate_limited',
    ...(operation.needs?.includes('processor') ? PROCESSOR : []),
    ...(operation.needs?.includes('storage') ? (['storage_unavailable'] as const) : []),
    'method_not_allowed',
    'failed',
    'database_unavailable',
  ]
}

/** Whether a path parameter is limited to some values; others are 404. */
const hasChoices = ({ path }: ApiOperation) => path.includes('|')

const PROCESSOR = ['processor_rejected', 'processor_unavailable', 'processor_misconfigured'] as const

/** All errors of an operation: the codes of its schemas, its own table, and the shared errors. */
export function listErrors(operation: ApiOperation): DocumentedError[] {
  const { bodies = {}, query, errors, details = {} } = operation
  const codes = new Set([...Object.values(bodies), ...(query ? [query] : [])].flatMap(listCodes))
  return [
    ...[...codes].map((error) => ({ status: 400, error, meaning: describeCode(error), detail: null })),
    ...errorsIn(errors, {
      details: Object.fromEntries(Object.entries(details).map(([name, each]) => [name, inlineSchema(each, 'output')])),
    }),
    ...documentShared(sharedBy(operation)),
  ]
}

export const documentShared = (names: SharedName[]): DocumentedError[] =>
  errorsIn(Object.fromEntries(names.map((name) => [name, sharedErrors[name]])))

function errorsIn(table: ErrorTable, { details = {} }: ErrorOptions = {}): DocumentedError[] {
  return Object.entries(table).map(([name, [status, error, , meaning]]) => {
    if (meaning === undefined) throw new Error(`the error ${name} has no message`)
    return { status, error, meaning, detail: details[name] ?? null }
  })
}

interface ErrorOptions {
  /** The schemas of the bodies' fields besides `error`, by refusal. */
  details?: Record<string, Json>
}

function describeCode(code: string): string {
  const meaning = codeMeaning(code)
  if (meaning === undefined) throw new Error(`no contract describes the code ${code}: see describeCodes`)
  return meaning
}

/** The fields of all error bodies. */
export const ERROR: Json = {
  type: 'object',
  description: 'The fields of every error',
  properties: {
    error: { type: 'string', description: 'A code or a short sentence that never changes' },
    message: { type: 'string', description: 'An explanation for developers, whose wording may change' },
  },
  required: ['error', 'message'],
}

/** The schema of a body with one of these errors. */
export function errorSchema(errors: DocumentedError[], { duplicateCode = false } = {}): Json {
  const byDetail = Map.groupBy(errors, ({ detail }) => JSON.stringify(detail))
  const variants = [...byDetail.values()].map((alike) => variant(alike, duplicateCode))
  return variants.length === 1 ? variants[0]! : { anyOf: variants }
}

function variant(errors: DocumentedError[], duplicateCode: boolean): Json {
  const detail = errors[0]?.detail ?? null
  const error = oneOf([...new Set(errors.map((error) => error.error))])
  const required = [...(duplicateCode ? ['code'] : []), ...(Array.isArray(detail?.required) ? detail.required : [])]
  return {
    type: 'object',
    allOf: [referTo('Error')],
    properties: {
      error,
      ...(duplicateCode && { code: { ...error, description: 'The same as `error`' } }),
      ...(isObject(detail?.properties) && detail.properties),
    },
    ...(required.length > 0 && { required }),
  }
}

function oneOf(errors: string[]): Json {
  const patterns = errors
    .filter((error) => error.includes('{'))
    .map((error) => ({ type: 'string', pattern: toPattern(error) }))
  const fixed = errors.filter((error) => !error.includes('{'))
  if (patterns.length === 0) return { type: 'string', enum: fixed }
  return fixed.length === 0 && patterns.length === 1
    ? patterns[0]!
    : { anyOf: [{ type: 'string', enum: fixed }, ...patterns] }
}

/** `{name}` matches any text. */
const toPattern = (error: string) =>
  `^${error
    .split(/\{\w+\}/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*')}$`
