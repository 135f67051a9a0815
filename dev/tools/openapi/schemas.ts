import * as z from 'zod'

/** A JSON Schema, or a part of the document that holds some. */
export type Json = { [member: string]: unknown }

const REFERENCE = '#/components/schemas/'

export const referTo = (name: string): Json => ({ $ref: `${REFERENCE}${name}` })

/** Schemas by name, as `components.schemas` has them; where one is part of another it is a `$ref`. */
export function namedSchemas(schemas: Map<string, z.ZodType>, io: 'input' | 'output'): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of schemas) registry.add(schema, { id })
  const { schemas: made } = z.toJSONSchema(registry, { uri: (id) => `${REFERENCE}${id}`, io })
  return Object.fromEntries(Object.entries(made).map(([name, schema]) => [name, tidy(schema)]))
}

/** One schema where it stands. */
export const inlineSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => tidy(z.toJSONSchema(schema, { io }))

/**
 * What a reader has use for. Replies are not closed: a client must not break when a member is added. Formats say more
 * than the patterns that zod proves them by. And that a blank text may stand for nothing is told in a field's words.
 */
function tidy(schema: Json): Json {
  const { $schema: _dialect, $id: _id, propertyNames: _names, contentEncoding: _raw, anyOf, ...rest } = schema
  if (rest.additionalProperties === false) delete rest.additionalProperties
  if (rest.format !== undefined) delete rest.pattern
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum
  const inside = Object.fromEntries(Object.entries(rest).map(([member, value]) => [member, tidyMember(member, value)]))
  return Array.isArray(anyOf) ? { ...anyOne(anyOf.filter(isObject).map(tidy)), ...inside } : inside
}

function tidyMember(member: string, value: unknown): unknown {
  if (member === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, isObject(each) ? tidy(each) : each]))
  }
  if (member === 'items' || member === 'additionalProperties') return isObject(value) ? tidy(value) : value
  if (member === 'oneOf' && Array.isArray(value)) return value.filter(isObject).map(tidy)
  return value
}

/** A choice, in the shortest way to say it. */
function anyOne(branches: Json[]): Json {
  const choices = branches.flatMap(({ anyOf, ...branch }) => (Array.isArray(anyOf) ? anyOf.filter(isObject) : [branch]))
  const [only, ...others] = choices.filter(({ const: value, type }) => value !== '' && type !== 'null')
  if (!only || others.length > 0) return { anyOf: choices.filter(({ const: value }) => value !== '') }
  if (!choices.some(({ type }) => type === 'null')) return only
  if (typeof only.type !== 'string') return { anyOf: [only, { type: 'null' }] }
  return { ...only, type: [only.type, 'null'], ...(Array.isArray(only.enum) && { enum: [...only.enum, null] }) }
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
