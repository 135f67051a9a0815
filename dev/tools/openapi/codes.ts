import * as z from 'zod'

/**
 * The codes that a schema refuses with, which are the messages of its checks, in the order in which it checks. A message
 * that a schema makes only when it is given a value, in a transform for instance, cannot be found this way.
 */
export function listCodes(schema: z.core.$ZodType): string[] {
  const codes = new Set<string>()
  collect(schema, codes)
  return [...codes]
}

function collect(schema: z.core.$ZodType, codes: Set<string>): void {
  const { def } = schema._zod
  note(def.error, INVALID_TYPE, codes)
  if (def.type === 'union') note(def.error, INVALID_UNION, codes)
  for (const part of listParts(schema)) collect(part, codes)
  for (const check of def.checks ?? []) note(check._zod.def.error, CUSTOM, codes)
}

const INVALID_TYPE = { code: 'invalid_type', input: undefined, path: [] }
const INVALID_UNION = { code: 'invalid_union', input: undefined, path: [] }
const CUSTOM = { code: 'custom', input: undefined, path: [] }

/** Adds the message for an issue: asks the schema's error function for it, as zod does. */
function note(error: z.core.$ZodErrorMap<never> | undefined, issue: object, codes: Set<string>): void {
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
