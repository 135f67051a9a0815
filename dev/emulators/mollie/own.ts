import * as z from 'zod'
import { ownReader } from '../core/domain/tables.ts'

/* What Mollie's objects have besides what the core knows of them. Dates are `YYYY-MM-DD`. */

/** The seller's own data, at most about 1 kB of JSON; null: none. */
export const Metadata = z
  .union([z.string(), z.number(), z.record(z.string(), z.json()), z.array(z.string())])
  .refine((value) => JSON.stringify(value).length <= 1024, 'The metadata is larger than 1 kB')
  .nullable()

export const customerOwn = ownReader(z.object({ locale: z.string().nullable(), metadata: Metadata }))

export const paymentOwn = ownReader(
  z.object({
    sequenceType: z.enum(['oneoff', 'first', 'recurring']),
    redirectUrl: z.string().nullable(),
    cancelUrl: z.string().nullable(),
    webhookUrl: z.string().nullable(),
    locale: z.string().nullable(),
    metadata: Metadata,
  }),
)

export const subscriptionOwn = ownReader(
  z.object({
    interval: z.string(),
    times: z.int().nullable(),
    /** How many times it was charged. */
    charged: z.int(),
    startDate: z.string(),
    method: z.enum(['creditcard', 'directdebit', 'paypal']).nullable(),
    webhookUrl: z.string().nullable(),
    metadata: Metadata,
  }),
)

export const refundOwn = ownReader(z.object({ description: z.string(), metadata: Metadata }))
