import * as z from 'zod'
import { INTERVALS, PURCHASE_STATUSES } from '../processors/processor.ts'
import { PROCESSOR_NAMES } from '../processors/processor-name.ts'

/** ISO 8601 in UTC, like all times in the API and in events. */
export const time = z.iso.datetime()

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217')

/**
 * A subscription or a one-time purchase as the API and the events show it: what `purchase_json` of lib/access/purchase.sql
 * makes.
 */
export const Purchase = z
  .object({
    id: z.uuid().describe('The `subscriptionId` for cancel-subscription'),
    status: z
      .enum(PURCHASE_STATUSES)
      .describe(
        '`canceled`: a subscription that has ended, or a purchase whose first payment failed for good. A subscription that was ' +
          'cancelled keeps its status until its current period is over. `refunded`: a one-time purchase that was paid back',
      ),
    acquiring: z.enum(PROCESSOR_NAMES).describe('The processor through which it was bought'),
    price_id: z
      .string()
      .nullable()
      .describe(
        'The id of its price, which may have been replaced since. Null: no price of the paywall names what it is charged for',
      ),
    price_slug: z
      .string()
      .nullable()
      .describe('The name of its price, which stays the same when the id changes. Null as `price_id`'),
    features: z
      .array(z.string())
      .describe(
        'What its price gives besides tokens, as the paywall file has it now. It counts while the purchase gives access',
      ),
    interval: z.enum(INTERVALS).nullable().describe('The unit of the billing period. Null: a one-time purchase'),
    interval_count: z
      .int()
      .min(1)
      .nullable()
      .describe('How many intervals a billing period has. Null: a one-time purchase'),
    unit_amount: z
      .int()
      .min(0)
      .describe('The price of a billing period or of the one-time purchase, in minor units of the currency'),
    currency,
    current_period_end: time.nullable().describe('When its current period or trial ends. Null: a one-time purchase'),
    trial_end: time.nullable().describe('When its trial ends or ended. Null: it had none'),
    cancel_at_period_end: z.boolean().describe('True: it ends with its current period and is not renewed'),
    cancel_at: time.nullable().describe('When it will end. Null: no end is scheduled'),
    canceled_at: time.nullable().describe('When it was cancelled'),
    access_until: time
      .nullable()
      .describe(
        'Until when it gives access, as far as is known now: to its scheduled end; else for 3 days after its period, since a renewal ' +
          'may be heard of late; while it is past due, for `settings.grace_days`. Null: it has no end, or has not begun',
      ),
    created_at: time,
  })
  .describe('A subscription or a one-time purchase')
