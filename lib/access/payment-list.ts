import * as z from 'zod'
import { PROCESSOR_NAMES } from '../processors/processor-name.ts'
import { currency, Receipt, time } from './purchase.ts'

const ListedPayment = z.object({
  id: z.uuid(),
  /** The processor through which it was made. */
  acquiring: z.enum(PROCESSOR_NAMES),
  /** The price that was paid for, and its label, which may be a key of the paywall's texts. Null if no price of the paywall matched. */
  price_slug: z.string().nullable(),
  label: z.string().nullable(),
  /** In minor units, with taxes and after discounts. */
  amount: z.int().min(1),
  tax: Receipt.shape.tax,
  discount: Receipt.shape.discount,
  currency,
  paid_at: time,
  /** What went back, by refunds and lost disputes, in minor units. */
  refunded_amount: z.int().min(0),
  /** Whether the buyer's bank disputes it, and the dispute is not decided. */
  is_disputed: z.boolean(),
})

export type ListedPayment = z.output<typeof ListedPayment>

/** A part of a member's payments that succeeded, latest first: the result of `list_payments` in functions/payments. */
export const PaymentList = z.object({
  payments: z.array(ListedPayment),
  /** Whether there are earlier ones: those before the last of `payments`. */
  has_more: z.boolean(),
})

export type PaymentList = z.output<typeof PaymentList>
