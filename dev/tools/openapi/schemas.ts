import * as z from 'zod'

/** A JSON Schema, or a part of the document that contains some. */
export type Json = { [field: string]: unknown }

const REFERENCE = '#/components/schemas/'

export const referTo = (name: string): Json => ({ $ref: `${REFERENCE}${name}` })

/** The document's `components.schemas`. A named schema inside another one is a `$ref`. */
export function namedSchemas(schemas: Map<string, z.ZodType>, io: 'input' | 'output'): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of schemas) registry.add(schema, { id })
  const { schemas: made } = z.toJSONSchema(registry, { uri: (id) => `${REFERENCE}${id}`, io })
  return Object.fromEntries(Object.entries(made).map(([name, schema]) => [name, tidy(schema)]))
}

/** The JSON Schema of an unnamed schema. */
export const inlineSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => tidy(z.toJSONSchema(schema, { io }))

/**
 * Removes what readers of the document do not need. Replies allow additional properties, because clients must not break when a
 * field is added. A format is clearer than the pattern by which zod checks it. That a blank text counts as absent is left to
 * the field's description.
 */
function tidy(schema: Json): Json {
  const { $schema: _dialect, $id: _id, propertyNames: _names, contentEncoding: _raw, anyOf, ...rest } = schema
  if (rest.additionalProperties === false) delete rest.additionalProperties
  if (rest.format !== undefined) delete rest.pattern
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum
  const inside = Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, tidyField(field, value)]))
  return Array.isArray(anyOf) ? { ...anyOne(anyOf.filter(isObject).map(tidy)), ...inside } : inside
}

function tidyField(field: string, value: unknown): unknown {
  if (field === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, isObject(each) ? tidy(each) : each]))
  }
  if (field === 'items' || field === 'additionalProperties') return isObject(value) ? tidy(value) : value
  if (field === 'oneOf' && Array.isArray(value)) return value.filter(isObject).map(tidy)
  return value
}

/** The shortest schema for a choice: `type: [string, null]` instead of `anyOf` where they are equivalent. */
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
