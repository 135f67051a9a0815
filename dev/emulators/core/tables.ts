import { randomBytes } from 'node:crypto'
import * as z from 'zod'

/*
 * The tables that every emulator keeps. Times are unix seconds; `account` is the account, at the processor, that a
 * record belongs to.
 */

/** The fields that every record begins with. */
export const owned = { id: z.string(), account: z.string(), created: z.int() }

export const newId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`

/** Those fields of a new record. */
export function newRecord(context: { account: { id: string }; now: number }, prefix: string, bytes?: number) {
  return { id: newId(prefix, bytes), account: context.account.id, created: context.now }
}

/** One event on its way to one paywall's address. */
const DeliveryRecord = z.object({ id: z.string(), event: z.string(), paywallId: z.string(), attempts: z.int() })

/** The stored response of an idempotency key; `id` is the account and the key. */
const ReplyRecord = z.object({
  id: z.string(),
  created: z.int(),
  path: z.string(),
  fingerprint: z.string(),
  status: z.int(),
  body: z.string(),
  requestId: z.string(),
})

/** Rows by id, kept in JSON as an array. */
export const table = <Row extends z.ZodType<{ id: string }>>(row: Row) =>
  z
    .array(row)
    .default([])
    .transform((rows) => new Map(rows.map((record) => [record.id, record])))

export const deliveries = table(DeliveryRecord)
export const replies = table(ReplyRecord)

export type DeliveryRecord = z.output<typeof DeliveryRecord>
export type ReplyRecord = z.output<typeof ReplyRecord>
