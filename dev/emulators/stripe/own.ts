import * as z from 'zod'
import { ownReader } from '../core/domain/tables.ts'

/* What Stripe's objects have besides what the core knows of them. */

const metadata = z.record(z.string(), z.string()).default({})

export const PageOwn = z.object({
  metadata,
  clientReferenceId: z.string().nullable(),
  /** The address that was given when the session was created. */
  customerEmail: z.string().nullable(),
})
export const pageOwn = ownReader(PageOwn)

/** Why somebody cancels. */
export const Feedback = z.enum([
  ...(['customer_service', 'low_quality', 'missing_features', 'other'] as const),
  ...(['switched_service', 'too_complex', 'too_expensive', 'unused'] as const),
])

export const subscriptionOwn = ownReader(
  z.object({
    metadata,
    cancelComment: z.string().nullable().default(null),
    cancelFeedback: Feedback.nullable().default(null),
  }),
)

export const paymentOwn = ownReader(z.object({ metadata }))

export const refundOwn = ownReader(
  z.object({
    metadata,
    reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).nullable(),
  }),
)

/** What an event has besides its object. */
export const eventOwn = ownReader(
  z.object({
    previous: z.record(z.string(), z.unknown()).nullable(),
    request: z.object({ id: z.string().nullable(), idempotency_key: z.string().nullable() }),
  }),
)
