import * as z from 'zod'
import { ownReader } from '../core/domain/tables.ts'

/* What Stripe's objects have besides what the core knows of them, by Stripe's names of it. */

const metadata = z.record(z.string(), z.string()).default({})

/** `customer_email` is the address that was given when the session was created. */
export const pageOwn = ownReader(
  z.object({
    metadata,
    client_reference_id: z.string().nullable().default(null),
    customer_email: z.string().nullable().default(null),
  }),
)

/** Why somebody cancels. */
export const Feedback = z.enum([
  ...(['customer_service', 'low_quality', 'missing_features', 'other'] as const),
  ...(['switched_service', 'too_complex', 'too_expensive', 'unused'] as const),
])

/** `comment` and `feedback` are those of its cancellation. */
export const subscriptionOwn = ownReader(
  z.object({ metadata, comment: z.string().nullable().default(null), feedback: Feedback.nullable().default(null) }),
)

export const paymentOwn = ownReader(z.object({ metadata }))

export const RefundReason = z.enum(['duplicate', 'fraudulent', 'requested_by_customer'])

export const refundOwn = ownReader(z.object({ metadata, reason: RefundReason.nullable() }))

/** What an event has besides its object. */
export const eventOwn = ownReader(
  z.object({
    previous: z.record(z.string(), z.unknown()).nullable(),
    request: z.object({ id: z.string().nullable(), idempotency_key: z.string().nullable() }),
  }),
)
