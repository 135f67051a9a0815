import * as z from 'zod'

/**
 * The error codes of a schema, which are the messages of its checks, in the order of the checks. It does not find messages that
 * depend on a value, such as those of a transform.
 */
export function listCodes(schema: z.core.$ZodType): string[] {
  const codes = new Set<string>()
  collect(schema, codes)
  return [...codes]
}

function collect(schema: z.core.$ZodType, codes: Set<string>): void {
  const { def } = schema._zod
  addMessage(def.error, INVALID_TYPE, codes)
  if (def.type === 'union') addMessage(def.error, INVALID_UNION, codes)
  for (const part of listParts(schema)) collect(part, codes)
  for (const check of def.checks ?? []) addMessage(check._zod.def.error, CUSTOM, codes)
}

const INVALID_TYPE = { code: 'invalid_type', input: undefined, path: [] }
const INVALID_UNION = { code: 'invalid_union', input: undefined, path: [] }
const CUSTOM = { code: 'custom', input: undefined, path: [] }

/** Adds the message for an issue by calling the schema's error function, as zod does. */
function addMessage(error: z.core.$ZodErrorMap<never> | undefined, issue: object, codes: Set<string>): void {
  const message: unknown = error && Reflect.apply(error, undefined, [issue])
  if (typeof message === 'string') codes.add(message)
}

function listParts(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape)
  if (schema instanceof z.ZodUnion) return [...schema.options]
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return [schema.unwrap()]
  if (schema instanceof z.ZodRecord) return [schema.keyType, schema.valueType]
  if (schema instanceof z.ZodArray) return [schema.element]
  return []
}
