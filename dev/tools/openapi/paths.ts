import type * as z from 'zod'
import { type ApiOperation, isClientOperation } from '../../../lib/http/api-operation.ts'
import { toResponses } from './responses.ts'
import { curlSample } from './samples/curl.ts'
import { browserSample, serverSample } from './samples/sdk.ts'
import { inlineSchema, isObject, type Json, referTo } from './schemas.ts'

/** The document's `paths`. */
export function toPaths(operations: ApiOperation[]): Json {
  const byPath = Map.groupBy(operations, ({ path }) => toPath(path))
  return Object.fromEntries(
    [...byPath].map(([path, each]) => [
      path,
      Object.fromEntries(each.map((operation) => [operation.method, toOperation(operation)])),
    ]),
  )
}

/** Converts `/a/:id/:kind{x|y}` to OpenAPI's syntax. */
const toPath = (path: string) => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

function toOperation(operation: ApiOperation): Json {
  const { id, tag, summary, description, access } = operation
  const body = toRequestBody(operation)
  const samples = codeSamples(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: access.map((each) => SECURITY[each]),
    parameters: toParameters(operation),
    ...(body && { requestBody: body }),
    responses: toResponses(operation),
    ...(samples.length > 0 && { 'x-codeSamples': samples }),
  }
}

/** The document's `x-codeSamples` for an operation; none for operations that processors, or browsers coming from them, call. */
function codeSamples(operation: ApiOperation): Json[] {
  if (!isClientOperation(operation)) return []
  const samples = [
    { lang: 'TypeScript', label: 'SDK, server', source: serverSample(operation) },
    { lang: 'TypeScript', label: 'SDK, browser', source: browserSample(operation) },
    { lang: 'Shell', label: 'curl', source: curlSample(operation) },
  ]
  return samples.filter(({ source }) => source !== null)
}

const SECURITY = { owner: { OwnerKey: [] }, user: { UserToken: [] }, anybody: {} }

function toParameters(operation: ApiOperation): Json[] {
  const { path, params, exampleParams, query, idempotent, conditional, clientIp, example } = operation
  const shared = [
    ...(path.includes(':id') ? ['PaywallId'] : []),
    ...(idempotent ? ['IdempotencyKey'] : []),
    ...(conditional ? ['IfNoneMatch'] : []),
    ...(clientIp ? ['ClientIp'] : []),
    ...(isClientOperation(operation) ? ['NamedPaywall', 'SdkVersion'] : []),
  ]
  return [
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(params ? inlineParameters('path', params, exampleParams) : []),
    ...(query ? inlineParameters('query', query, example) : []),
  ]
}

function inlineParameters(place: 'path' | 'query', schema: z.ZodType, example: Record<string, unknown> = {}): Json[] {
  const { properties } = inlineSchema(schema, 'input')
  if (!isObject(properties)) throw new TypeError('parameters are made of an object')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {}
    const shown = name in example && { example: example[name] }
    return { name, in: place, ...(place === 'path' && { required: true }), description, schema: rest, ...shown }
  })
}

function toRequestBody({ bodies, bodyOptional, rawBody, form, example }: ApiOperation): Json | null {
  if (rawBody) return { required: true, content: { 'application/json': { schema: referTo(rawBody.name) } } }
  if (!bodies) return null
  const choices = Object.keys(bodies).map(referTo)
  const encoding = Object.entries(form?.contentTypes ?? {}).map(([name, contentType]) => [name, { contentType }])
  return {
    required: !bodyOptional,
    content: {
      'application/json': { schema: choices.length === 1 ? choices[0] : { anyOf: choices }, example },
      ...(form && { 'multipart/form-data': { schema: referTo(form.name), encoding: Object.fromEntries(encoding) } }),
    },
  }
}
