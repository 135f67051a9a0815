import * as z from 'zod'
import { ownReader } from '../core/domain/tables.ts'

/* What Polar's objects have besides what the core knows of them. */

/** The seller's own data: up to 50 values, each at most 500 characters. */
export const Metadata = z
  .record(z.string().min(1).max(40), z.union([z.string().min(1).max(500), z.number(), z.boolean()]))
  .refine((values) => Object.keys(values).length <= 50, 'You can store up to 50 key-value pairs.')

const metadata = Metadata.default({})

export const pageOwn = ownReader(
  z.object({
    metadata,
    externalCustomerId: z.string().nullable().default(null),
    allowTrial: z.boolean().default(true),
  }),
)

export const customerOwn = ownReader(z.object({ externalId: z.string().nullable().default(null) }))

/** Why somebody cancels. */
export const CancellationReason = z.enum([
  ...(['customer_service', 'low_quality', 'missing_features', 'switched_service'] as const),
  ...(['too_complex', 'too_expensive', 'unused', 'other'] as const),
])

export const subscriptionOwn = ownReader(
  z.object({
    metadata,
    checkoutId: z.string().nullable().default(null),
    reason: CancellationReason.nullable().default(null),
    comment: z.string().nullable().default(null),
  }),
)

/** `productId` is there if the payment is a purchase of its own, and not one of a subscription's. */
export const paymentOwn = ownReader(
  z.object({
    metadata,
    checkoutId: z.string().nullable().default(null),
    productId: z.string().nullable().default(null),
  }),
)

export const refundOwn = ownReader(
  z.object({
    metadata,
    reason: z
      .enum([
        ...(['duplicate', 'fraudulent', 'customer_request', 'service_disruption'] as const),
        ...(['satisfaction_guarantee', 'dispute_prevention', 'other'] as const),
      ])
      .default('customer_request'),
    /** The dispute that it prevents. */
    dispute: z.string().nullable().default(null),
  }),
)

/** What an organisation has set in its dashboard, and which scopes its token lacks. */
export const settingsOwn = ownReader(
  z.object({
    allowMultipleSubscriptions: z.boolean().default(true),
    lackingScopes: z.array(z.string()).default([]),
  }),
)
