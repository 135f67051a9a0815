import * as z from 'zod'
import { PricedLine, SoldPrice } from './selling-records.ts'
import { own, owned } from './tables.ts'

/** The invoice of a subscription's period. */
export const InvoiceRecord = z.object({
  ...owned,
  customer: z.string(),
  email: z.string().nullable(),
  seller: z.string(),
  subscription: z.string(),
  /** Why it was made: a new subscription, a later period, or a change of price. */
  reason: z.enum(['create', 'cycle', 'update']),
  price: SoldPrice,
  quantity: z.int(),
  lines: z.array(PricedLine),
  discount: z.int(),
  tax: z.int(),
  /** The amount paid from the customer's balance; negative: added to it. */
  fromBalance: z.int(),
  /** The remaining amount to pay. */
  amount: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  /** A `draft` has not been charged yet. */
  status: z.enum(['draft', 'open', 'paid', 'void']),
  attempts: z.int(),
  /** Whether all its retries have failed: it is no longer charged automatically. */
  isGivenUp: z.boolean().default(false),
  paidAt: z.int().nullable(),
  /** The payment for it; null if there is none yet, or nothing is due. */
  payment: z.string().nullable(),
  /** The subscription's `own` when the invoice was made. */
  own,
})

/** An attempt to make a payment. */
export const AttemptRecord = z.object({
  ...owned,
  payment: z.string(),
  status: z.enum(['pending', 'paid', 'failed']),
})

export const PaymentRecord = z.object({
  ...owned,
  amount: z.int(),
  currency: z.string(),
  customer: z.string().nullable(),
  email: z.string().nullable(),
  description: z.string(),
  /** What was sold, for a one-time purchase. */
  sold: z.object({ price: SoldPrice, quantity: z.int(), discount: z.int(), tax: z.int() }).nullable().default(null),
  status: z.enum(['open', 'pending', 'paid', 'failed', 'canceled', 'expired']),
  method: z.string().nullable(),
  mandate: z.string().nullable(),
  /** Whether it creates a mandate once it is paid. */
  givesMandate: z.boolean().default(false),
  subscription: z.string().nullable(),
  /** When a payment with its own page expires. */
  expiresAt: z.int().nullable(),
  /** When it reached its final status; null while it is open or pending. */
  endedAt: z.int().nullable(),
  own,
})

export const RefundRecord = z.object({
  ...owned,
  payment: z.string(),
  amount: z.int(),
  status: z.enum(['queued', 'pending', 'processing', 'refunded', 'failed', 'canceled']),
  own,
})

/**
 * A dispute by the payer's bank. `won`: the seller got the money back. `warning`: an inquiry, which moves no money; `closed`: an
 * inquiry that ended without a dispute.
 */
export const DisputeRecord = z.object({
  ...owned,
  payment: z.string(),
  amount: z.int(),
  status: z.enum(['warning', 'open', 'won', 'lost', 'closed']),
  closedAt: z.int().nullable(),
  own,
})

export type InvoiceRecord = z.output<typeof InvoiceRecord>
export type AttemptRecord = z.output<typeof AttemptRecord>
export type PaymentRecord = z.output<typeof PaymentRecord>
export type RefundRecord = z.output<typeof RefundRecord>
export type DisputeRecord = z.output<typeof DisputeRecord>
