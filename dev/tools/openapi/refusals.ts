import { type ApiOperation, countedBy } from '../../../lib/http/api-operation.ts'
import type { Words } from '../../../lib/http/errors.ts'
import { sharedWords } from '../../../lib/http/shared-words.ts'
import { codesOf } from './codes.ts'
import { CODE_MEANINGS, MEANINGS } from './meanings.ts'
import { inlineSchema, isObject, type Json, referTo } from './schemas.ts'

/** One way in which a call can fail. */
export interface Refusal {
  status: number
  error: string
  meaning: string
  /** What the body has beside `error`: a schema of an object. */
  detail: Json | null
}

type SharedName = keyof typeof sharedWords

/** The refusals that are not in an operation's own words: those that every call can meet, and those of its needs. */
function sharedBy(operation: ApiOperation): SharedName[] {
  const json = operation.bodies !== undefined
  return [
    ...(json || operation.rawBody ? (['invalid_json', 'payload_too_large'] as const) : []),
    ...(operation.query ? (['invalid_query'] as const) : []),
    ...(operation.idempotent ? (['invalid_key_format'] as const) : []),
    ...(countedBy(operation) === 'nothing' ? [] : (['rate_limited'] as const)),
    ...(operation.needs?.includes('processor') ? PROCESSOR : []),
    ...(operation.needs?.includes('storage') ? (['storage_unavailable'] as const) : []),
    'method_not_allowed',
    'failed',
    'database_unavailable',
  ]
}

const PROCESSOR = ['processor_rejected', 'processor_unavailable', 'processor_misconfigured'] as const

/** All refusals of an operation: the codes of its schemas, its own words, and the words that operations share. */
export function refusalsOf(operation: ApiOperation): Refusal[] {
  const { bodies = {}, query, words, details = {}, access } = operation
  const codes = new Set([...Object.values(bodies), ...(query ? [query] : [])].flatMap(codesOf))
  return [
    ...[...codes].map((error) => ({ status: 400, error, meaning: meaningOf(error, CODE_MEANINGS), detail: null })),
    ...refusalsIn(words, {
      details: Object.fromEntries(Object.entries(details).map(([name, each]) => [name, inlineSchema(each, 'output')])),
      byToken: !access.includes('owner'),
    }),
    ...sharedRefusals(sharedBy(operation)),
  ]
}

export const sharedRefusals = (names: SharedName[]): Refusal[] =>
  refusalsIn(Object.fromEntries(names.map((name) => [name, sharedWords[name]])))

/** `byToken`: only a token names a user there, so a user who is not found is the token's. */
function refusalsIn(words: Words, { details = {}, byToken = false }: RefusalOptions = {}): Refusal[] {
  return Object.entries(words).map(([name, [status, error]]) => {
    const isOfToken = byToken && (name === 'unknown_identity' || name === 'not_member')
    const meaning = meaningOf(isOfToken ? 'unknown_user' : name, MEANINGS)
    return { status, error, meaning, detail: details[name] ?? null }
  })
}

interface RefusalOptions {
  /** What the bodies have beside `error`, by refusal. */
  details?: Record<string, Json>
  byToken?: boolean
}

function meaningOf(name: string, meanings: Record<string, string>): string {
  const meaning = meanings[name]
  if (meaning === undefined) throw new Error(`dev/tools/openapi/meanings.ts does not say what ${name} means`)
  return meaning
}

/** What all error bodies have. */
export const ERROR: Json = {
  type: 'object',
  description: 'The fields of every error',
  properties: {
    error: { type: 'string', description: 'What is wrong: a code or a short sentence, which never changes' },
    message: { type: 'string', description: 'An explanation for a human' },
  },
  required: ['error'],
}

/** The schema of an error body that says one of these. */
export function errorSchema(refusals: Refusal[], { saysCode = false } = {}): Json {
  const byDetail = Map.groupBy(refusals, ({ detail }) => JSON.stringify(detail))
  const variants = [...byDetail.values()].map((alike) => variant(alike, saysCode))
  return variants.length === 1 ? variants[0]! : { anyOf: variants }
}

function variant(refusals: Refusal[], saysCode: boolean): Json {
  const detail = refusals[0]?.detail ?? null
  const error = oneOf([...new Set(refusals.map((refusal) => refusal.error))])
  const required = [...(saysCode ? ['code'] : []), ...(Array.isArray(detail?.required) ? detail.required : [])]
  return {
    type: 'object',
    allOf: [referTo('Error')],
    properties: {
      error,
      ...(saysCode && { code: { ...error, description: 'The same as `error`' } }),
      ...(isObject(detail?.properties) && detail.properties),
    },
    ...(required.length > 0 && { required }),
  }
}

function oneOf(errors: string[]): Json {
  const patterns = errors
    .filter((error) => error.includes('{'))
    .map((error) => ({ type: 'string', pattern: patternOf(error) }))
  const fixed = errors.filter((error) => !error.includes('{'))
  if (patterns.length === 0) return { type: 'string', enum: fixed }
  return fixed.length === 0 && patterns.length === 1
    ? patterns[0]!
    : { anyOf: [{ type: 'string', enum: fixed }, ...patterns] }
}

/** `{name}` stands for any text. */
const patternOf = (error: string) =>
  `^${error
    .split(/\{\w+\}/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*')}$`
