import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { ownFields } from '../core/domain/tables.ts'

/* Fields of Mollie's objects that the core does not have. Dates are `YYYY-MM-DD`. */

/** The seller's own data, at most about 1 kB of JSON. */
export const Metadata = z
  .union([z.string(), z.number(), z.record(z.string(), z.json()), z.array(z.string())])
  .refine((value) => JSON.stringify(value).length <= 1024, 'The metadata is larger than 1 kB')
  .nullable()

const text = z.string().nullable()

export const customerOwn = ownFields({ locale: text, metadata: Metadata })

export const paymentOwn = ownFields({
  sequenceType: z.enum(['oneoff', 'first', 'recurring']),
  redirectUrl: text,
  cancelUrl: text,
  webhookUrl: text,
  locale: text,
  metadata: Metadata,
  /** When the next charge was due as this one was made. */
  paidUntil: z.int().nullable().default(null),
})

export const subscriptionOwn = ownFields({
  interval: z.string(),
  times: z.int().nullable(),
  /** How many times it was charged. */
  charged: z.int(),
  startDate: z.string(),
  method: z.enum(['creditcard', 'directdebit', 'paypal']).nullable(),
  webhookUrl: text,
  metadata: Metadata,
})

/** `code`: the code of the payer's bank for a bounced direct debit. */
export const chargebackOwn = ownFields({ code: z.string().nullable().default(null) })

/** Whether failing direct debits are paid first and charged back some days later: see `chargeOrBounce`. */
export const BOUNCES = accountSetting('bounce', z.boolean(), true)

export const refundOwn = ownFields({ description: z.string(), metadata: Metadata })
