import * as z from 'zod'
import type { ProcessorDefinition } from './definition.ts'

/** 1 to 500 printable characters without surrounding spaces, because credentials are sent in headers. */
const TEXT = /^[!-~]([ -~]{0,498}[!-~])?$/

/** The schema of an owner's credentials at a processor. `value` returns the schema of one credential for its pattern. */
export function credentialsSchema<Field extends string>(
  { credentials }: ProcessorDefinition<Field>,
  value: (pattern: RegExp) => z.ZodType<string, string>,
): z.ZodType<Record<Field, string>, Record<Field, string>> {
  const fields = Object.keys(credentials) as Field[]
  const shape = Object.fromEntries(
    fields.map((field) => {
      const { pattern = TEXT, optional } = credentials[field]
      return [field, optional ? value(pattern).optional() : value(pattern)]
    }),
  )
  return z.strictObject(shape as Record<Field, z.ZodType<string, string>>) as never
}

/** Parses decrypted credentials. Throws if they do not match the processor's definition. */
export function parseCredentials<Field extends string>(
  definition: ProcessorDefinition<Field>,
  credentials: unknown,
): Record<Field, string> {
  return credentialsSchema(definition, (pattern) => z.string().regex(pattern)).parse(credentials)
}
