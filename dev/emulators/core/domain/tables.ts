import { randomBytes } from 'node:crypto'
import * as z from 'zod'

/** The fields that every record begins with. `account` is the account, at the processor, that the record belongs to. */
export const owned = { id: z.string(), account: z.string(), created: z.int() }

/** What only one processor's objects have: its folder reads it with `ownFields`. Replaced as a whole, never changed. */
export const own = z.record(z.string(), z.json()).default({})

/** Reads what a record has as its own. Each object is parsed once. */
function ownReader<Schema extends z.ZodType>(schema: Schema) {
  const parsed = new WeakMap<object, z.output<Schema>>()
  return ({ own }: { own: object }): z.output<Schema> => {
    const known = parsed.get(own) ?? schema.parse(own)
    if (typeof known === 'object' && known !== null) parsed.set(own, known)
    return known
  }
}

/** The same for an object with these fields. */
export const ownFields = <Shape extends z.ZodRawShape>(shape: Shape) => ownReader(z.object(shape))

export const newId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`

/** Makes ids by the kinds of what gets one. */
export const prefixedIds =
  (prefixes: Record<string, [prefix: string, bytes?: number]>) =>
  (kind: string): string =>
    newId(...(prefixes[kind] ?? ['']))

/** Rows by id, kept in JSON as an array. */
export const table = <Row extends z.ZodType<{ id: string }>>(row: Row) =>
  z
    .array(row)
    .default([])
    .transform((rows) => new Map(rows.map((record) => [record.id, record])))
