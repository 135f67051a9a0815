import * as z from 'zod'
import { PricedLine, SoldPrice } from './selling-records.ts'
import { own, owned } from './tables.ts'

/** What a subscription's customer owes for one period. */
export const InvoiceRecord = z.object({
  ...owned,
  customer: z.string(),
  email: z.string().nullable(),
  seller: z.string(),
  subscription: z.string(),
  /** Whether it began the subscription, or a later period of it, or changed its price. */
  reason: z.enum(['create', 'cycle', 'update']),
  price: SoldPrice,
  quantity: z.int(),
  lines: z.array(PricedLine),
  discount: z.int(),
  tax: z.int(),
  /** What the customer's balance paid; below zero: what it got. */
  fromBalance: z.int(),
  /** What is left to pay. */
  amount: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  /** A draft has not been charged yet. */
  status: z.enum(['draft', 'open', 'paid', 'void']),
  attempts: z.int(),
  /** Whether all its retries have failed: it is charged no more by itself. */
  isGivenUp: z.boolean().default(false),
  paidAt: z.int().nullable(),
  /** The payment that is to pay it; null as long as there is none, or if nothing is due. */
  payment: z.string().nullable(),
  /** What was the subscription's own when the invoice was made. */
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
  /** What it pays, if that is something that is sold once. */
  sold: z.object({ price: SoldPrice, quantity: z.int(), discount: z.int(), tax: z.int() }).nullable().default(null),
  status: z.enum(['open', 'pending', 'paid', 'failed', 'canceled', 'expired']),
  method: z.string().nullable(),
  mandate: z.string().nullable(),
  /** Whether it makes a mandate once it is paid. */
  givesMandate: z.boolean().default(false),
  subscription: z.string().nullable(),
  /** When a payment that has a page of its own expires. */
  expiresAt: z.int().nullable(),
  /** When it got its last status; null while it is open or pending. */
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
 * The payer's bank took a payment back. `won`: the money is the seller's again. `warning`: it only asks, and the money stays;
 * `closed`: that came to nothing.
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
