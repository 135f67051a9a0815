import * as z from 'zod'
import { ownReader } from '../core/domain/tables.ts'

/* What Chargebee's objects have besides what the core knows of them. */

export const PageOwn = z.object({
  passThru: z.string().nullable(),
  /** Whether the buyer has left the page by its way back. */
  cancelled: z.boolean().default(false),
})
export const pageOwn = ownReader(PageOwn)

/** The comments on a subscription. */
export const subscriptionOwn = ownReader(
  z.object({
    comments: z.array(z.object({ id: z.string(), notes: z.string(), created: z.int() })).default([]),
  }),
)

/** What a one-time payment's invoice is about; a subscription's payment has an invoice of the core. */
export const paymentOwn = ownReader(
  z.object({
    sold: z
      .object({ itemPrice: z.string(), label: z.string(), quantity: z.int(), poNumber: z.string().nullable() })
      .optional(),
  }),
)

export const refundOwn = ownReader(z.object({ reasonCode: z.string(), isChargeback: z.boolean().default(false) }))
