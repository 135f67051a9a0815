import * as z from 'zod'
import { ownFields } from '../core/domain/tables.ts'

/* What Freemius' objects have besides what the core knows of them. A licence is kept as the completed page that sold it. */

export const licenseOwn = ownFields({
  /** 1: bought in the sandbox. */
  environment: z.union([z.literal(0), z.literal(1)]),
  /** The owner has cancelled it in the dashboard. */
  cancelled: z.boolean().default(false),
  deleted: z.boolean().default(false),
  /** The price that it had before its plan was changed last. */
  before: z.string().optional(),
})

/** Of a subscription and its invoices, and of a payment. A renewal's payment has none: its subscription tells the licence. */
export const soldOwn = ownFields({ license: z.string().nullable().default(null) })

/** Why a subscription was cancelled. */
export const subscriptionOwn = ownFields({
  reason: z.string().nullable().default(null),
  reason_ids: z.array(z.string()).default([]),
})

/** What an event has besides its objects. */
export const eventOwn = ownFields({ data: z.unknown(), user: z.string().nullable() })
