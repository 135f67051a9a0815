import * as z from 'zod'
import { processorId } from '../event.ts'
import { INTERVALS } from '../processor.ts'

/** The fields of Polar's objects that we rely on. Amounts are integers in the currency's minor units. */

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const amount = z.int().min(0)
const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .toUpperCase()

const metadata = z.unknown().optional()

/** The metadata that we put on a checkout. Polar copies it to the subscription and to the orders of what is bought. */
export const Sale = z.object({
  checkout_id: z.uuid(),
  paywall_id: z.string(),
  user_id: z.string(),
  /** The customer that we asked for; missing if Polar was to find or make one. */
  customer_id: z.string().optional(),
})
export type Sale = z.output<typeof Sale>

const Customer = z.object({
  id: processorId,
  external_id: z.string().nullish(),
  email: z.string().nullish(),
})
export type Customer = z.output<typeof Customer>

export const Checkout = z.object({
  id: processorId,
  url: z.url(),
  status: z.enum(['open', 'expired', 'confirmed', 'succeeded', 'failed']),
})
export type Checkout = z.output<typeof Checkout>

export const Subscription = z.object({
  id: processorId,
  status: z.enum([
    ...(['incomplete', 'incomplete_expired', 'trialing', 'active'] as const),
    ...(['past_due', 'canceled', 'unpaid', 'paused'] as const),
  ]),
  amount,
  currency,
  recurring_interval: z.enum(INTERVALS),
  recurring_interval_count: z.int().min(1),
  current_period_start: time,
  current_period_end: time,
  trial_start: time.nullable(),
  trial_end: time.nullable(),
  cancel_at_period_end: z.boolean(),
  canceled_at: time.nullable(),
  ends_at: time.nullable(),
  customer: Customer,
  metadata,
})
export type Subscription = z.output<typeof Subscription>

export const Order = z.object({
  id: processorId,
  status: z.enum(['draft', 'pending', 'paid', 'refunded', 'partially_refunded', 'void']),
  billing_reason: z.enum([
    ...(['purchase', 'subscription_create', 'subscription_cycle'] as const),
    ...(['subscription_update', 'subscription_meter_cycle'] as const),
  ]),
  /** The price, before discounts and taxes. Below zero for a credit, as for a change to a cheaper product. */
  subtotal_amount: z.int(),
  /** What the buyer pays: after discounts, with taxes, and without what is taken from its balance at Polar. Paying leaves it as it is. */
  due_amount: amount,
  currency,
  subscription_id: processorId.nullable(),
  /** When a charge that failed is repeated; null if none failed, or if it is not repeated any more. */
  next_payment_attempt_at: time.nullish(),
  customer: Customer,
  metadata,
})
export type Order = z.output<typeof Order>

export const Orders = z.object({ items: z.array(Order) })

export const Refund = z.object({
  id: processorId,
  status: z.enum(['pending', 'succeeded', 'failed', 'canceled']),
  amount,
  tax_amount: amount,
  currency,
  order_id: processorId,
  subscription_id: processorId.nullable(),
  dispute: z
    .object({
      id: processorId,
      /** `accepted` is in Polar's source, and not in the SDK's types. */
      status: z.string(),
      amount,
      tax_amount: amount,
    })
    .nullable(),
})

export const PortalSession = z.object({ customer_portal_url: z.url() })

/** The body of a webhook; the id of the event is in a header. */
export const Event = z.object({ type: z.string(), timestamp: time, data: z.unknown() })
