import * as z from 'zod'
import { processorId } from '../event.ts'
import { INTERVALS } from '../processor.ts'

/** The fields of Polar's objects that we rely on. Amounts are integers in the currency's minor units. */

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

/** A time in microseconds, in which Polar notes when an object was changed. A `Date` would lose the last three digits. */
const microseconds = z.iso.datetime({ offset: true }).transform((text) => {
  const [, digits = ''] = /\.(\d+)/.exec(text) ?? []
  return Date.parse(text) * 1000 + Number(digits.padEnd(6, '0').slice(3, 6))
})

/** What every object has. `modified_at` is null until the object is changed for the first time. */
const record = { id: processorId, created_at: microseconds, modified_at: microseconds.nullish() }
export const PolarRecord = z.object(record)
export type PolarRecord = z.output<typeof PolarRecord>

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
  ...record,
  url: z.url(),
  status: z.enum(['open', 'expired', 'confirmed', 'succeeded', 'failed']),
})
export type Checkout = z.output<typeof Checkout>

export const Subscription = z.object({
  ...record,
  status: z.enum([
    ...(['incomplete', 'incomplete_expired', 'trialing', 'active'] as const),
    ...(['past_due', 'canceled', 'unpaid', 'paused'] as const),
  ]),
  amount,
  currency,
  recurring_interval: z.enum(INTERVALS),
  recurring_interval_count: z.int().min(1),
  /** What it sells now. A change of plan that is to come with the next period is not in it. */
  product_id: processorId,
  started_at: time.nullish(),
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
  ...record,
  status: z.enum(['draft', 'pending', 'paid', 'refunded', 'partially_refunded', 'void']),
  /** Such as `subscription_cycle`. Polar may add others. */
  billing_reason: z.string(),
  /** What its subscription sold when the order was made, or what was sold once. */
  product_id: processorId.nullable(),
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

/** Polar's source has statuses that its types do not have. */
const dispute = { id: processorId, status: z.string(), amount, tax_amount: amount }

/** A chargeback of what an order has paid. */
export const Dispute = z.object({ ...record, ...dispute, currency, order_id: processorId })
export type Dispute = z.output<typeof Dispute>

export const Disputes = z.object({ items: z.array(Dispute) })

const refundStatus = z.enum(['pending', 'succeeded', 'failed', 'canceled'])

export const RefundStatuses = z.object({ items: z.array(z.object({ id: processorId, status: refundStatus })) })

export const Refund = z.object({
  id: processorId,
  status: refundStatus,
  amount,
  tax_amount: amount,
  currency,
  order_id: processorId,
  subscription_id: processorId.nullable(),
  dispute: z.object(dispute).nullable(),
})

export const PortalSession = z.object({ customer_portal_url: z.url() })

/** The body of a webhook; the id of the event is in a header. */
export const Event = z.object({ type: z.string(), timestamp: time, data: z.unknown() })
