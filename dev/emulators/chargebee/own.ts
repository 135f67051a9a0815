import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { ownFields } from '../core/domain/tables.ts'

/* Fields of Chargebee's objects that the core does not have. */

export const pageOwn = ownFields({
  passThru: z.string().nullable(),
  /** Whether the buyer cancelled on the page. */
  cancelled: z.boolean().default(false),
  /** The subscription that the page changes; null if it sells something new. */
  changes: z.string().nullable().default(null),
  /** Whether the customer pays due invoices on the page. */
  collects: z.boolean().default(false),
})

export const customerOwn = ownFields({ locale: z.string().nullable().default(null) })

/** Whether a change of plan is invoiced at once (`invoice_immediately`) or with the next invoice. */
export const INVOICE_IMMEDIATELY = accountSetting('immediately', z.boolean(), true)

/** What happens to a change of plan through the API if its charge is declined: it is made all the same, or refused. */
export const DECLINED_CHANGE = accountSetting('declinedChange', z.enum(['made', 'refused']), 'made')

/** Comments are stored in the API's format. */
export const subscriptionOwn = ownFields({ comments: z.array(z.record(z.string(), z.json())).default([]) })

/** Fields of the invoice. */
export const saleOwn = ownFields({
  poNumber: z.string().nullable().default(null),
  /** Whether the seller has voided it. */
  isVoided: z.boolean().default(false),
})

/** The reversed transaction. */
export const disputeOwn = ownFields({ transaction: z.string() })

export const refundOwn = ownFields({ reasonCode: z.string(), isChargeback: z.boolean().default(false) })
