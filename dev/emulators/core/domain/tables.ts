import { randomBytes } from 'node:crypto'
import * as z from 'zod'

/** The fields that every record begins with. `account` is the account, at the processor, that the record belongs to. */
export const owned = { id: z.string(), account: z.string(), created: z.int() }

/** What only one processor's objects have. Its adapter of the wire parses it where it reads it. */
export const own = z.record(z.string(), z.json()).default({})

export type Own = z.output<typeof own>

export const newId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`

/** Rows by id, kept in JSON as an array. */
export const table = <Row extends z.ZodType<{ id: string }>>(row: Row) =>
  z
    .array(row)
    .default([])
    .transform((rows) => new Map(rows.map((record) => [record.id, record])))
