import * as z from 'zod'

/** Cancellation reasons that several processors' APIs share. */
export const CancellationReason = z.enum([
  ...(['customer_service', 'low_quality', 'missing_features', 'switched_service'] as const),
  ...(['too_complex', 'too_expensive', 'unused', 'other'] as const),
])
