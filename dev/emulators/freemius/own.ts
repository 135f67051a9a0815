import * as z from 'zod'
import { ownFields } from '../core/domain/tables.ts'

/* Fields of Freemius' objects that the core does not have. A licence is stored as the completed page that sold it. */

export const licenseOwn = ownFields({
  /** 1: bought in the sandbox. */
  environment: z.union([z.literal(0), z.literal(1)]),
  /** Whether the owner has cancelled it in the dashboard. */
  cancelled: z.boolean().default(false),
  deleted: z.boolean().default(false),
  /** The price before the last change of plan. */
  before: z.string().optional(),
  /** The cancellation coupon that one of its subscriptions was given, at a time in unix seconds. */
  stayed: z.object({ subscription: z.string(), code: z.string(), at: z.number() }).optional(),
})

/** The licence of a subscription, an invoice or a payment. A renewal's payment has none: its subscription has the licence. */
export const soldOwn = ownFields({ license: z.string().nullable().default(null) })

/** Why a subscription was cancelled. */
export const subscriptionOwn = ownFields({
  reason: z.string().nullable().default(null),
  reason_ids: z.array(z.string()).default([]),
})

/** Fields of an event besides its objects. */
export const eventOwn = ownFields({ data: z.unknown(), user: z.string().nullable() })
