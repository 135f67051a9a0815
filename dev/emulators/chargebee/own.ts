import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { ownFields } from '../core/domain/tables.ts'

/* What Chargebee's objects have besides what the core knows of them. */

export const pageOwn = ownFields({
  passThru: z.string().nullable(),
  /** Whether the buyer has left the page by its way back. */
  cancelled: z.boolean().default(false),
})

/** Whether a change of plan is invoiced at once (`invoice_immediately`), or its charge waits for the next invoice. */
export const INVOICE_IMMEDIATELY = accountSetting('immediately', z.boolean(), true)

/** Comments are kept as they are shown. */
export const subscriptionOwn = ownFields({ comments: z.array(z.record(z.string(), z.json())).default([]) })

/** What is sold once has this on its invoice. */
export const saleOwn = ownFields({
  poNumber: z.string().nullable().default(null),
  /** Whether its seller has voided it. */
  isVoided: z.boolean().default(false),
})

/** The transaction that is taken back. */
export const disputeOwn = ownFields({ transaction: z.string() })

export const refundOwn = ownFields({ reasonCode: z.string(), isChargeback: z.boolean().default(false) })
