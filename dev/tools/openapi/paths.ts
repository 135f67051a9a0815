import type * as z from 'zod'
import { type ApiOperation, isOfClients } from '../../../lib/http/api-operation.ts'
import { responsesOf } from './responses.ts'
import { inlineSchema, isObject, type Json, referTo } from './schemas.ts'

/** The document's `components.parameters`: those that several operations take. */
export const parameters: Record<string, Json> = {
  PaywallId: {
    name: 'id',
    in: 'path',
    required: true,
    description: "The id of the paywall. A paywall's own domain answers for that paywall only",
    schema: { type: 'string' },
    example: '1001',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A UUID that you choose for the call, best a random one; it may be in quotes. A call that is repeated with the same ' +
      'key takes effect once',
    schema: { type: 'string', format: 'uuid' },
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer that you have',
    schema: { type: 'string' },
  },
  ClientIp: {
    name: 'X-Client-Ip',
    in: 'header',
    description:
      "The end user's IP address, when your server makes the call. It decides `country`, `tier` and `countryMatch`, and " +
      'nothing else. `X-Forwarded-For` is ignored',
    schema: { type: 'string' },
  },
  NamedPaywall: {
    name: 'X-Paywall-Id',
    in: 'header',
    description:
      'The id of the paywall that the client is made for; the SDK always sends it. If the call is about another one, it is ' +
      "refused with 400 `paywall_id_mismatch`. Where neither path nor body names one, as in a user's call of `cancel-subscription`, " +
      'the call is about this one',
    schema: { type: 'string' },
  },
  SdkVersion: {
    name: 'X-SDK-Version',
    in: 'header',
    description: 'Name and version of the client. We log it with the call, if it is no longer than 64 characters',
    schema: { type: 'string' },
  },
}

/** The document's `paths`. */
export function pathsOf(operations: ApiOperation[]): Json {
  const byPath = Map.groupBy(operations, ({ path }) => pathOf(path))
  return Object.fromEntries(
    [...byPath].map(([path, each]) => [
      path,
      Object.fromEntries(each.map((operation) => [operation.method, operationOf(operation)])),
    ]),
  )
}

/** `/a/:id/:kind{x|y}` as OpenAPI writes it. */
const pathOf = (path: string) => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

function operationOf(operation: ApiOperation): Json {
  const { id, tag, summary, description, access } = operation
  const body = requestBodyOf(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: access.map((each) => SECURITY[each]),
    parameters: parametersOf(operation),
    ...(body && { requestBody: body }),
    responses: responsesOf(operation),
  }
}

const SECURITY = { owner: { OwnerKey: [] }, user: { UserToken: [] }, anybody: {} }

function parametersOf(operation: ApiOperation): Json[] {
  const { path, params, query, idempotent, conditional, clientIp, example } = operation
  const shared = [
    ...(path.includes(':id') ? ['PaywallId'] : []),
    ...(idempotent ? ['IdempotencyKey'] : []),
    ...(conditional ? ['IfNoneMatch'] : []),
    ...(clientIp ? ['ClientIp'] : []),
    ...(isOfClients(operation) ? ['NamedPaywall', 'SdkVersion'] : []),
  ]
  return [
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(params ? own('path', params) : []),
    ...(query ? own('query', query, example) : []),
  ]
}

function own(place: 'path' | 'query', schema: z.ZodType, example: Record<string, unknown> = {}): Json[] {
  const { properties } = inlineSchema(schema, 'input')
  if (!isObject(properties)) throw new TypeError('parameters are made of an object')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {}
    const shown = name in example && { example: example[name] }
    return { name, in: place, ...(place === 'path' && { required: true }), description, schema: rest, ...shown }
  })
}

function requestBodyOf({ bodies, bodyOptional, rawBody, form, example }: ApiOperation): Json | null {
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
