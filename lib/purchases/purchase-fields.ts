// What the endpoints of one purchase have in common: its id in the path, the owner's note, and the error of an unknown purchase.
import * as z from 'zod'
import type { PurchaseWithPayment } from '../access/purchase.ts'
import { describeCodes } from '../http/code-meanings.ts'
import { PROCESSOR_NAMES } from '../processors/processor-name.ts'

/** The path's parameters besides the paywall's id. */
export const purchaseParams = z.object({ purchase: z.string().describe("The purchase's `id`") })

const NOTE_LENGTH = 500

describeCodes({ 'Invalid reason': `\`reason\` must be a string of 1 to ${NOTE_LENGTH} characters` })

/** An owner's note on what it does. Absent and null are equivalent. */
export const ownerNote = z
  .string('Invalid reason')
  .min(1, 'Invalid reason')
  .max(NOTE_LENGTH, 'Invalid reason')
  .nullish()
  .transform((note) => note ?? undefined)

export const purchaseErrors = {
  unknown_purchase: [404, 'purchase_not_found', 'The paywall has no such purchase'],
} as const

/** Its id in the examples: a constant of its own, because the bundler does not drop an example that reads a field. */
export const EXAMPLE_PURCHASE_ID = '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11'

/** The purchase in the examples of the API's document. */
export const EXAMPLE_ENDED = {
  id: EXAMPLE_PURCHASE_ID,
  status: 'canceled',
  acquiring: PROCESSOR_NAMES[0],
  price_id: 'price_3f1c9a2b7d4e5f60718293a4',
  price_slug: 'monthly',
  features: ['export'] as string[],
  interval: 'month',
  interval_count: 1,
  unit_amount: 999,
  quantity: 1,
  currency: 'USD',
  current_period_end: '2026-12-01T09:00:00.000Z',
  trial_end: null,
  scheduled_change: null,
  cancel_at_period_end: false,
  cancel_at: null,
  canceled_at: '2026-11-14T12:30:00.000Z',
  access_until: '2026-11-14T12:30:00.000Z',
  created_at: '2026-11-01T09:00:00.000Z',
  last_payment: null,
} as const satisfies z.input<typeof PurchaseWithPayment>
