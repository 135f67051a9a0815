import * as z from 'zod'

/* What bodies in JSON are made of, whatever the processor. */

export const webAddress = z
  .string()
  .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'The URL is invalid')

/** A field that may be left out or null; both become null. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null)

/** A body as JSON: an empty one is `{}`, and one that is no JSON is undefined. */
export function readJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A query as an object of texts. */
export const readQuery = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query))

/** The same. A parameter that is repeated is a list. */
export function readParameters(query: string): Record<string, string | string[]> {
  const given = new URLSearchParams(query)
  return Object.fromEntries(
    [...given].map(([name, value]) => {
      const values = given.getAll(name)
      return [name, values.length > 1 ? values : value]
    }),
  )
}
