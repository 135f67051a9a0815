import * as z from 'zod'
import { time } from '../access/purchase.ts'
import type { MemberRefusal } from '../members/member.ts'

/** The longest time for which access is granted, in days. */
export const MAX_GRANT_DAYS = 3650

/** Maximum length of the reason for a grant, and for its end, in characters. */
export const GRANT_REASON_LENGTH = 500

/** Beyond these years Postgres and JavaScript do not read a time alike. Whether an end is allowed is decided in the database, by its clock. */
const isWithinYears = (time: Date) => time.getUTCFullYear() >= 1970 && time.getUTCFullYear() < 9999

export const grantEnd = z.iso
  .datetime({ offset: true, error: 'invalid_ends_at' })
  .transform((text) => new Date(text))
  .refine(isWithinYears, 'invalid_ends_at')
  .transform((time) => time.toISOString())

export const grantDays = z.int('invalid_days').min(1, 'invalid_days').max(MAX_GRANT_DAYS, 'invalid_days')

export const grantReason = z
  .string('reason_required')
  .trim()
  .min(1, 'reason_required')
  .max(GRANT_REASON_LENGTH, 'invalid_reason')

/** Absent, null and empty are equivalent. */
export const grantEndReason = z
  .string('invalid_reason')
  .trim()
  .max(GRANT_REASON_LENGTH, 'invalid_reason')
  .nullish()
  .transform((reason) => reason || undefined)

/**
 * Why access is not granted: see grant-access.sql. `price_without_access`: a pack. `end_out_of_range`: the end is past, or more than
 * `MAX_GRANT_DAYS` away.
 */
export type GrantRefusal = MemberRefusal | 'unknown_price' | 'price_without_access' | 'end_out_of_range'

/** A grant as the API shows it: the result of `grant_json` in grants.sql. */
export const Grant = z
  .object({
    id: z.uuid(),
    price_id: z
      .string()
      .nullable()
      .describe(
        'The id of the price whose features it gives, which may have been replaced since. Null if it gives none',
      ),
    price_slug: z.string().nullable().describe('The name of that price. Null if `price_id` is null'),
    features: z.array(z.string()).describe('The features of that price, as the paywall file lists them now'),
    created_at: time,
    ends_at: time.describe('When it ends, unless it is ended earlier'),
    ended_at: time.nullable().describe('When it ended. Null if it has not'),
  })
  .describe('Access without a payment')

/** The same in events. */
export const GrantWithReason = Grant.extend({
  reason: z
    .string()
    .nullable()
    .describe('The reason that was given for it. Null in an event whose personal data was removed'),
  end_reason: z.string().nullable().describe('The reason that was given for ending it. Null if there is none'),
}).describe('Access without a payment, with its reasons')

/** What comes of granting access, or of ending it. */
export const GrantReply = z.object({
  user_id: z.uuid().describe('The user who has the grant'),
  grant: Grant,
})

export type GrantReply = z.output<typeof GrantReply>
