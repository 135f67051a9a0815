import * as z from 'zod'
import { INTERVALS, PURCHASE_STATUSES } from '../processors/processor.ts'
import { PROCESSOR_NAMES } from '../processors/processor-name.ts'

/** ISO 8601 in UTC, like all times in the API and in events. */
export const time = z.iso.datetime()

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217')

/** What a payment shows besides its amount, in the API and in events. */
export const Receipt = z.object({
  tax: z.int().min(0).nullable().describe('The part of `amount` that is tax. Null if the processor does not report it'),
  discount: z
    .int()
    .min(0)
    .nullable()
    .describe('What was taken off the price, without taxes. Null if the processor does not report it'),
  receipt_url: z.url().nullable().describe("The processor's page with the receipt. Null if the processor reports none"),
})

/** A subscription or a one-time purchase as the API and the events show it: the result of `purchase_json` in lib/access/purchase.sql. */
export const Purchase = z
  .object({
    id: z.uuid().describe('The id, which is the `subscriptionId` of cancel-subscription'),
    status: z
      .enum(PURCHASE_STATUSES)
      .describe(
        '`canceled`: the subscription has ended, or the first payment failed for good. A cancelled subscription ' +
          'keeps its status until its current period is over. `refunded`: a one-time purchase was refunded',
      ),
    acquiring: z.enum(PROCESSOR_NAMES).describe('The processor that sold it'),
    price_id: z
      .string()
      .nullable()
      .describe(
        'The id of its price, which may have been replaced since. Null if no price of the paywall matches what is ' +
          'charged',
      ),
    price_slug: z
      .string()
      .nullable()
      .describe('The name of its price. Unlike the id, it is stable. Null if `price_id` is null'),
    features: z
      .array(z.string())
      .describe(
        'The features of its price, as the paywall file lists them now. They apply while the purchase gives access',
      ),
    interval: z.enum(INTERVALS).nullable().describe('Unit of the billing period. Null for a one-time purchase'),
    interval_count: z
      .int()
      .min(1)
      .nullable()
      .describe('Number of intervals per billing period. Null for a one-time purchase'),
    unit_amount: z
      .int()
      .min(0)
      .describe(
        'The price of one unit per billing period, or of the one-time purchase, in minor units of the currency',
      ),
    quantity: z
      .int()
      .min(0)
      .describe('How many units it is charged for, as the processor reports it: 1 unless its price is sold per unit'),
    currency,
    current_period_end: time.nullable().describe('End of the current period or trial. Null for a one-time purchase'),
    trial_end: time.nullable().describe('End of the trial. Null if there was none'),
    scheduled_change: z
      .object({
        price_id: z.string().nullable().describe('The id of the new price. Null if it is no price of the paywall'),
        price_slug: z.string().nullable().describe('The name of the new price. Null if `price_id` is null'),
        quantity: z.int().min(0).describe('The new quantity'),
        effective_at: time.describe('When it takes effect: usually at the end of the current period'),
      })
      .nullable()
      .describe('A change of plan that is scheduled at the processor. Null if there is none'),
    cancel_at_period_end: z.boolean().describe('Whether it ends with its current period instead of renewing'),
    cancel_at: time.nullable().describe('The scheduled end. Null if none is scheduled'),
    canceled_at: time.nullable().describe('When it was cancelled. Null if it was not'),
    access_until: time
      .nullable()
      .describe(
        'End of access as currently known: the scheduled end, or else 3 days after the period, since a renewal may ' +
          'be reported late; while past due, `settings.grace_days` later. Null if access has no end, or has not begun',
      ),
    created_at: time,
  })
  .describe('A subscription or a one-time purchase')

/** The latest payment of a purchase: the result of `last_payment_json` in lib/purchases/payments.sql. */
const LastPayment = z
  .object({
    amount: z.int().min(1).describe('The amount that was paid, with taxes, in minor units of the currency'),
    tax: Receipt.shape.tax,
    discount: Receipt.shape.discount,
    currency,
    paid_at: time,
    receipt_url: Receipt.shape.receipt_url,
  })
  .describe('A payment that succeeded')

/** A purchase with its latest payment, as the API shows it. Events do not have it: a payment has events of its own. */
export const PurchaseWithPayment = Purchase.extend({
  last_payment: LastPayment.nullable().describe(
    'The latest payment that succeeded. Null if there was none, as on trial, or if it is not reported yet',
  ),
}).describe('A subscription or a one-time purchase, with its latest payment')
