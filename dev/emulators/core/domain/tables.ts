import { randomBytes } from 'node:crypto'
import * as z from 'zod'

/** The common fields of all records. `account` is the account at the processor. */
export const owned = { id: z.string(), account: z.string(), created: z.int() }

/** Fields of one processor's objects, read with `ownFields`. Always replaced as a whole, never mutated. */
export const own = z.record(z.string(), z.json()).default({})

/** Parses a record's `own`, once for each object. */
function ownReader<Schema extends z.ZodType>(schema: Schema) {
  const parsed = new WeakMap<object, z.output<Schema>>()
  return ({ own }: { own: object }): z.output<Schema> => {
    const known = parsed.get(own) ?? schema.parse(own)
    if (typeof known === 'object' && known !== null) parsed.set(own, known)
    return known
  }
}

/** A reader for `own` with these fields. */
export const ownFields = <Shape extends z.ZodRawShape>(shape: Shape) => ownReader(z.object(shape))

export const newId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`

/** Generates ids with a prefix for each kind. */
export const prefixedIds =
  (prefixes: Record<string, [prefix: string, bytes?: number]>) =>
  (kind: string): string =>
    newId(...(prefixes[kind] ?? ['']))

/** A map of rows by id, stored in JSON as an array. */
export const table = <Row extends z.ZodType<{ id: string }>>(row: Row) =>
  z
    .array(row)
    .default([])
    .transform((rows) => new Map(rows.map((record) => [record.id, record])))
