import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { ownFields } from '../core/domain/tables.ts'

/* What Mollie's objects have besides what the core knows of them. Dates are `YYYY-MM-DD`. */

/** The seller's own data, at most about 1 kB of JSON; null: none. */
export const Metadata = z
  .union([z.string(), z.number(), z.record(z.string(), z.json()), z.array(z.string())])
  .refine((value) => JSON.stringify(value).length <= 1024, 'The metadata is larger than 1 kB')
  .nullable()

const text = z.string().nullable()

export const customerOwn = ownFields({ locale: text, metadata: Metadata })

export const paymentOwn = ownFields({
  sequenceType: z.enum(['oneoff', 'first', 'recurring']),
  ...{ redirectUrl: text, cancelUrl: text, webhookUrl: text, locale: text, metadata: Metadata },
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

/** `code`: that of the payer's bank, where a direct debit bounced. */
export const chargebackOwn = ownFields({ code: z.string().nullable().default(null) })

/** Whether the direct debits of customers whose charges fail are paid first, and charged back some days later: see chargeOrBounce. */
export const BOUNCES = accountSetting('bounce', z.boolean(), true)

export const refundOwn = ownFields({ description: z.string(), metadata: Metadata })
