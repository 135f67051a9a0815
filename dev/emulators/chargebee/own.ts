import * as z from 'zod'
import { ownFields } from '../core/domain/tables.ts'

/* What Chargebee's objects have besides what the core knows of them. */

export const pageOwn = ownFields({
  passThru: z.string().nullable(),
  /** Whether the buyer has left the page by its way back. */
  cancelled: z.boolean().default(false),
})

/** Comments are kept as they are shown. */
export const subscriptionOwn = ownFields({ comments: z.array(z.record(z.string(), z.json())).default([]) })

/** What is sold once has this on its invoice. */
export const saleOwn = ownFields({
  poNumber: z.string().nullable().default(null),
  /** Whether its seller has voided it. */
  isVoided: z.boolean().default(false),
})

export const refundOwn = ownFields({ reasonCode: z.string(), isChargeback: z.boolean().default(false) })
