import * as z from 'zod'
import { own, owned } from './tables.ts'

/*
 * Records about selling. Times are unix seconds of the account's clock, amounts are integers in the processor's units, `own` has
 * fields that only this processor's objects have.
 */

const unit = z.enum(['day', 'week', 'month', 'year'])

/** A copy of a price at the time of sale, so that editing the paywall file does not change earlier purchases. */
export const SoldPrice = z.object({
  id: z.string(),
  label: z.string(),
  currency: z.string(),
  amount: z.int(),
  interval: unit.nullable(),
  intervalCount: z.int().nullable(),
})

/** Taxes and discount on a page's price. */
export const Terms = z.object({
  taxPercent: z.number().min(0).max(100).default(0),
  percentOff: z.number().min(0).max(100).default(0),
  /** An amount that the discount takes off a charge, besides the percentage. */
  amountOff: z.int().min(0).optional(),
  /** How long the discount lasts: for the first invoice, or for some time from then. Absent: for ever. */
  lasts: z.union([z.literal('once'), z.object({ interval: unit, intervalCount: z.int().min(1) })]).optional(),
  /** Whether that is counted from the first period after a trial. */
  lastsAfterTrial: z.boolean().optional(),
})

/** What a page asks the buyer for, besides an address and the payment. */
export const Asks = z.object({
  promotionCode: z.boolean().default(false),
  taxId: z.boolean().default(false),
  /** The buyer must accept the seller's terms of service. */
  consent: z.boolean().default(false),
  /** A payment method. Only a page with nothing to pay today can do without. */
  card: z.boolean().default(true),
})

/** A line of an invoice. A proration covers a part of a period: a negative one of the old price, or one of the new price. */
export const PricedLine = z.object({
  price: SoldPrice,
  quantity: z.int(),
  amount: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  isProration: z.boolean(),
  /** Whether the amount is after the discount of its period, so that an invoice takes no other off. */
  isDiscounted: z.boolean().optional(),
})

export const CustomerRecord = z.object({
  ...owned,
  email: z.string().nullable(),
  name: z.string().nullable().default(null),
  /** The customer's credit, from which later invoices are paid. */
  balance: z.int().default(0),
  /** Whether charges of the stored payment method fail. */
  declines: z.boolean().default(false),
  own,
})

/** The permission to charge a customer again, created by a payment. */
export const MandateRecord = z.object({
  ...owned,
  customer: z.string(),
  payment: z.string(),
  method: z.enum(['creditcard', 'directdebit', 'paypal']),
  /** Whether it is pending at first. */
  slow: z.boolean(),
  revoked: z.boolean(),
})

/** A hosted page on which one price can be paid. */
export const PageRecord = z.object({
  ...owned,
  mode: z.enum(['subscription', 'payment']),
  status: z.enum(['open', 'complete', 'expired']),
  expiresAt: z.int(),
  /** The seller's name on the page. */
  seller: z.string(),
  price: SoldPrice,
  quantity: z.int(),
  terms: Terms,
  asks: Asks.prefault({}),
  /** What the buyer has entered of it; null: nothing. */
  promotionCode: z.string().nullable().default(null),
  /** The id of the discount that the seller has given the page. */
  coupon: z.string().nullable().default(null),
  taxId: z.string().nullable().default(null),
  trialDays: z.int().nullable(),
  /** When the trial ends, if the seller sets a time instead of days. */
  trialEnd: z.int().optional(),
  successUrl: z.string(),
  cancelUrl: z.string().nullable(),
  /** The buyer's address, if known before the payment. */
  email: z.string().nullable(),
  payerEmail: z.string().nullable(),
  customer: z.string().nullable(),
  /** Whether a one-time payment also creates a customer. */
  makesCustomer: z.boolean(),
  payment: z.string().nullable(),
  subscription: z.string().nullable(),
  invoice: z.string().nullable(),
  /** Whether the page is complete but its payment is pending. */
  unpaid: z.boolean(),
  own,
  /** The `own` of the customer, the subscription and the payment that the page creates. */
  gives: z.object({ customer: own, subscription: own, payment: own }),
  /** The subscription's id, if the seller chose one. */
  chosenId: z.string().optional(),
})

export const SubscriptionRecord = z.object({
  ...owned,
  customer: z.string(),
  mandate: z.string().nullable(),
  price: SoldPrice,
  quantity: z.int(),
  terms: Terms,
  /** The id of the discount in its terms, if the seller has given it. */
  coupon: z.string().nullable().default(null),
  /** When the first discounted period begins, if it was discounted later than it was sold. */
  discountFrom: z.int().optional(),
  /** When a discount ends that counts from when it was given, rather than from the first discounted period. */
  discountUntil: z.int().optional(),
  /** The terms of the charge for a change of plan in its period, if there was one. */
  changedTerms: Terms.optional(),
  /** The price and the quantity for its next period, if one of them changes. */
  scheduled: z.object({ price: SoldPrice, quantity: z.int() }).nullable().default(null),
  /** Prorations that are invoiced with its next period. */
  pendingLines: z.array(PricedLine).default([]),
  /** `suspended`: its mandate is invalid. `completed`: all its scheduled charges were made. */
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'unpaid',
    'paused',
    'suspended',
    'completed',
    'canceled',
  ]),
  /** A time whose day of the month is the day on which periods end; shorter months use their last day. */
  anchor: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  trialEnd: z.int().nullable(),
  /** When the first period after the trial began. A trial that is ended early ends before that. */
  paidFrom: z.int().optional(),
  /** Whether it has a payment method. A trial without one is not continued. */
  hasCard: z.boolean().default(true),
  /** Whether the event that announces the trial's end was sent. */
  trialEndAnnounced: z.boolean(),
  cancelAtPeriodEnd: z.boolean(),
  cancelAt: z.int().nullable(),
  canceledAt: z.int().nullable(),
  cancelReason: z.enum(['cancellation_requested', 'payment_failed']).nullable(),
  endedAt: z.int().nullable(),
  latestInvoice: z.string().nullable(),
  own,
})

/** A session of a customer's portal. */
export const PortalSessionRecord = z.object({ ...owned, customer: z.string(), returnUrl: z.string().nullable() })

export type Terms = z.output<typeof Terms>
export type PricedLine = z.output<typeof PricedLine>
export type SoldPrice = z.output<typeof SoldPrice>
export type CustomerRecord = z.output<typeof CustomerRecord>
export type MandateRecord = z.output<typeof MandateRecord>
export type PageRecord = z.output<typeof PageRecord>
export type SubscriptionRecord = z.output<typeof SubscriptionRecord>
export type PortalSessionRecord = z.output<typeof PortalSessionRecord>
