import * as z from 'zod'
import { processorId } from '../event.ts'
import { INTERVALS } from '../processor.ts'

/** The fields of Polar's objects that we rely on. Amounts are integers in the currency's minor units. */

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

/** A time in microseconds, the resolution of Polar's change times. A `Date` would lose the last three digits. */
const microseconds = z.iso.datetime({ offset: true }).transform((text) => {
  const [, digits = ''] = /\.(\d+)/.exec(text) ?? []
  return Date.parse(text) * 1000 + Number(digits.padEnd(6, '0').slice(3, 6))
})

/** Common fields. `modified_at` is null until the first change. */
const record = { id: processorId, created_at: microseconds, modified_at: microseconds.nullish() }
export const PolarRecord = z.object(record)
export type PolarRecord = z.output<typeof PolarRecord>

const amount = z.int().min(0)
const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .toUpperCase()

const metadata = z.unknown().optional()

/** Our metadata on a checkout. Polar copies it to the subscription and the orders. */
export const Sale = z.object({
  checkout_id: z.uuid(),
  paywall_id: z.string(),
  user_id: z.string(),
  /** The customer that we named; absent if Polar was to find or create one. */
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
export const OpenedCheckout = Checkout.extend({ expires_at: time })

/** A percentage in hundredths of a percent, or amounts by currency. `products`: empty if it applies to all. */
export const Discount = z.object({
  basis_points: z.int().optional(),
  amounts: z.record(z.string(), z.int()).optional(),
  duration: z.string(),
  duration_in_months: z.int().nullish(),
  products: z.array(z.object({ id: z.string() })),
  max_redemptions: z.int().nullish(),
  redemptions_count: z.int().nullish(),
  starts_at: time.nullish(),
  ends_at: time.nullish(),
})
export type Discount = z.output<typeof Discount>

/** A price of a subscription's product. Only a fixed one has an amount for each period. */
const SubscriptionPrice = z
  .object({ amount_type: z.string(), price_amount: amount.optional() })
  .refine(({ amount_type: type, price_amount: fixed }) => type !== 'fixed' || fixed !== undefined, 'has no amount')

export const Subscription = z.object({
  ...record,
  status: z.enum([
    ...(['incomplete', 'incomplete_expired', 'trialing', 'active'] as const),
    ...(['past_due', 'canceled', 'unpaid', 'paused'] as const),
  ]),
  /** What a period costs after the discount that the subscription has. */
  amount,
  prices: z.array(SubscriptionPrice),
  discount: Discount.omit({ products: true }).nullable(),
  currency,
  recurring_interval: z.enum(INTERVALS),
  recurring_interval_count: z.int().min(1),
  /** The current product. */
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
  /** What is scheduled for the next period; `product_id` null: no other product. */
  pending_update: z.object({ product_id: processorId.nullable(), applies_at: time }).nullish(),
})
export type Subscription = z.output<typeof Subscription>

/** A subscription with what is needed to discount it. */
export const DiscountableSubscription = z.object({
  discount: z.object({ id: processorId }).nullable(),
  pending_update: z
    .looseObject({})
    .nullish()
    .transform((update) => update ?? null),
})
export type DiscountableSubscription = z.output<typeof DiscountableSubscription>

/** What a change would be charged at once, with taxes. `prorations` are without; credits are negative. */
export const ChargePreview = z.object({
  due_amount: amount,
  net_amount: z.int(),
  total_amount: z.int(),
  prorations: z.array(z.object({ amount: z.int() })),
  discount_amount: amount,
})
export type ChargePreview = z.output<typeof ChargePreview>

export const Order = z.object({
  ...record,
  status: z.enum(['draft', 'pending', 'paid', 'refunded', 'partially_refunded', 'void']),
  /** For example `subscription_cycle`. Polar may add others. */
  billing_reason: z.string(),
  /** The subscription's product at the time of the order, or the product that was sold once. */
  product_id: processorId.nullable(),
  /** The price, before discounts and taxes. Negative for a credit, as for a change to a cheaper product. */
  subtotal_amount: z.int(),
  /** After discounts, with taxes. */
  total_amount: z.int(),
  tax_amount: z.int(),
  /** Negative, too, for a credit. */
  discount_amount: z.int(),
  /** What the buyer pays: after discounts, with taxes, and minus the buyer's balance at Polar. Unchanged by the payment. */
  due_amount: amount,
  currency,
  subscription_id: processorId.nullable(),
  /** When a failed charge is retried; null if none failed, or if there is no further retry. */
  next_payment_attempt_at: time.nullish(),
  customer: Customer,
  metadata,
})
export type Order = z.output<typeof Order>

/**
 * An order in an event, whose status may be new: the read that follows refuses it. Refusing the event would not help, since Polar disables
 * an endpoint after ten failures.
 */
export const EventOrder = Order.extend({ status: z.string() })
export type EventOrder = z.output<typeof EventOrder>

export const Orders = z.object({ items: z.array(Order) })

/** An open enum: Polar's source has statuses that its types lack. */
const dispute = { id: processorId, status: z.string(), amount, tax_amount: amount }

/** A chargeback of an order's payment. */
export const Dispute = z.object({ ...record, ...dispute, currency, order_id: processorId })
export type Dispute = z.output<typeof Dispute>

export const Disputes = z.object({ items: z.array(Dispute) })

const refundStatus = z.enum(['pending', 'succeeded', 'failed', 'canceled'])

export const RefundStatuses = z.object({ items: z.array(z.object({ id: processorId, status: refundStatus })) })

/** A refund in an event. Its status may be new, as an order's. */
export const Refund = z.object({
  id: processorId,
  status: z.string(),
  amount,
  tax_amount: amount,
  currency,
  order_id: processorId,
  subscription_id: processorId.nullable(),
  dispute: z.object(dispute).nullable(),
})

/** A refund in Polar's reply, with the metadata that it was made with. */
export const MadeRefund = Refund.extend({ created_at: time, metadata: z.record(z.string(), z.unknown()) })
export type MadeRefund = z.output<typeof MadeRefund>
export const MadeRefunds = z.object({ items: z.array(MadeRefund) })

/** What is left of an order for refunds, without and of its tax. */
export const RefundableOrder = z.object({
  net_amount: z.int(),
  tax_amount: z.int(),
  refundable_amount: amount,
  refundable_tax_amount: amount,
})
export type RefundableOrder = z.output<typeof RefundableOrder>

export const PortalSession = z.object({ customer_portal_url: z.url() })

/** The body of a webhook; the event's id is in a header. */
export const Event = z.object({ type: z.string(), timestamp: time, data: z.unknown() })
