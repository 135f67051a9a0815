import * as z from 'zod'

/* Fields of JSON bodies that processors share. */

export const webAddress = z
  .string()
  .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'The URL is invalid')

/** A field that may be missing or null; both become null. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null)

/** Parses a JSON body; `{}` if it is empty, undefined if it is invalid. */
export function readJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Parses a query into an object of strings. */
export const readQuery = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query))

/** The same, with arrays for repeated parameters. */
export function readParameters(query: string): Record<string, string | string[]> {
  const given = new URLSearchParams(query)
  return Object.fromEntries(
    [...given].map(([name, value]) => {
      const values = given.getAll(name)
      return [name, values.length > 1 ? values : value]
    }),
  )
}
