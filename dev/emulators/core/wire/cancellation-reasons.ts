import * as z from 'zod'

/** Why somebody cancels, in the words that more than one processor's API has for it. */
export const CancellationReason = z.enum([
  ...(['customer_service', 'low_quality', 'missing_features', 'switched_service'] as const),
  ...(['too_complex', 'too_expensive', 'unused', 'other'] as const),
])
