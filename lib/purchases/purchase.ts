import * as z from 'zod'
import { PROCESSOR_NAMES } from '../processors/acquiring.ts'
import { INTERVALS, PURCHASE_STATUSES } from '../processors/processor.ts'

/** ISO 8601 in UTC, like all times in the API and in events. */
export const time = z.iso.datetime()

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217')

/**
 * A subscription or a one-time purchase as the API and the events show it: what `purchase_json` of schema.sql makes.
 */
export const Purchase = z
  .object({
    id: z.uuid().describe('What cancel-subscription takes as `subscriptionId`'),
    status: z
      .enum(PURCHASE_STATUSES)
      .describe(
        '`canceled`: a subscription that has ended. `refunded`: a one-time purchase. A subscription that was cancelled ' +
          'stays what it was until its paid period is over',
      ),
    acquiring: z.enum(PROCESSOR_NAMES).describe('The processor it was bought through'),
    price_id: z.string().describe('The price it was bought at, which may have been replaced since'),
    price_slug: z.string().describe("The price's stable name"),
    interval: z.enum(INTERVALS).nullable().describe('How often it is paid. Null: bought once'),
    interval_count: z.int().min(1).nullable().describe('Intervals a period. Null: bought once'),
    unit_amount: z.int().min(0).describe('What a period costs, in minor currency units'),
    currency,
    current_period_end: time.nullable().describe('When its current period or trial ends. Null: bought once'),
    trial_end: time.nullable(),
    cancel_at_period_end: z.boolean().describe('True: it will not be renewed'),
    cancel_at: time.nullable().describe('When it is going to end'),
    canceled_at: time.nullable().describe('When it was cancelled'),
    created_at: time,
  })
  .describe('A subscription or a one-time purchase')
