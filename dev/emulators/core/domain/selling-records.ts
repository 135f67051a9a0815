import * as z from 'zod'
import { own, owned } from './tables.ts'

/*
 * What is sold, to whom, and for how long. Times are unix seconds of the account's clock, amounts are integers in the
 * units in which the processor counts, `own` is what only this processor's objects have.
 */

/** A price as it was when it was sold, so that an edited paywall file does not change what somebody bought. */
export const SoldPrice = z.object({
  id: z.string(),
  label: z.string(),
  currency: z.string(),
  amount: z.int(),
  interval: z.enum(['day', 'week', 'month', 'year']).nullable(),
  intervalCount: z.int().nullable(),
})

/** What is added to and taken from the price of what a page sells, in per cent. */
export const Terms = z.object({
  taxPercent: z.number().min(0).max(100).default(0),
  percentOff: z.number().min(0).max(100).default(0),
})

/** A part of an invoice. A proration is a part of a period: of the old price, below zero, or of the new one. */
export const PricedLine = z.object({
  price: SoldPrice,
  quantity: z.int(),
  amount: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  isProration: z.boolean(),
})

export const CustomerRecord = z.object({
  ...owned,
  email: z.string().nullable(),
  name: z.string().nullable().default(null),
  /** What the seller owes the customer: later invoices take from it. */
  balance: z.int().default(0),
  /** Whether charges of what the customer has on file fail. */
  declines: z.boolean().default(false),
  own,
})

/** The permission to charge a customer again, given by a payment. */
export const MandateRecord = z.object({
  ...owned,
  customer: z.string(),
  payment: z.string(),
  method: z.enum(['creditcard', 'directdebit', 'paypal']),
  /** Whether it needs a while until it can be used. */
  slow: z.boolean(),
  revoked: z.boolean(),
})

/** A hosted page on which one price can be paid. */
export const PageRecord = z.object({
  ...owned,
  mode: z.enum(['subscription', 'payment']),
  status: z.enum(['open', 'complete', 'expired']),
  expiresAt: z.int(),
  /** The name that the page shows. */
  seller: z.string(),
  price: SoldPrice,
  quantity: z.int(),
  terms: Terms,
  trialDays: z.int().nullable(),
  /** When the trial ends, where the seller gives a time instead of days. */
  trialEnd: z.int().optional(),
  successUrl: z.string(),
  cancelUrl: z.string().nullable(),
  /** The address that is known before anybody pays. */
  email: z.string().nullable(),
  payerEmail: z.string().nullable(),
  customer: z.string().nullable(),
  /** Whether a one-time payment makes a customer, too. */
  makesCustomer: z.boolean(),
  payment: z.string().nullable(),
  subscription: z.string().nullable(),
  invoice: z.string().nullable(),
  /** The page is complete, but its money has not arrived. */
  unpaid: z.boolean(),
  own,
  /** What the customer, the subscription and the payment get as theirs. */
  gives: z.object({ customer: own, subscription: own, payment: own }),
  /** The id that the subscription gets, where a seller may choose one. */
  chosenId: z.string().optional(),
})

export const SubscriptionRecord = z.object({
  ...owned,
  customer: z.string(),
  mandate: z.string().nullable(),
  price: SoldPrice,
  quantity: z.int(),
  terms: Terms,
  /** The price that it gets with its next period. */
  scheduled: z.object({ price: SoldPrice }).nullable().default(null),
  /** Prorations that are paid with its next period. */
  pendingLines: z.array(PricedLine).default([]),
  /** `suspended`: its mandate is invalid. `completed`: it was charged as often as it was made for. */
  status: z.enum([
    ...['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'paused'],
    ...['suspended', 'completed', 'canceled'],
  ] as const),
  /** A time on the day of the month that periods end on; a month without that day ends them on its last. */
  anchor: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  trialEnd: z.int().nullable(),
  /** Whether the event that the trial is about to end was sent. */
  trialEndAnnounced: z.boolean(),
  cancelAtPeriodEnd: z.boolean(),
  cancelAt: z.int().nullable(),
  canceledAt: z.int().nullable(),
  cancelReason: z.enum(['cancellation_requested', 'payment_failed']).nullable(),
  endedAt: z.int().nullable(),
  latestInvoice: z.string().nullable(),
  own,
})

/** Access to a customer's portal. */
export const PortalSessionRecord = z.object({ ...owned, customer: z.string(), returnUrl: z.string().nullable() })

export type Terms = z.output<typeof Terms>
export type PricedLine = z.output<typeof PricedLine>
export type SoldPrice = z.output<typeof SoldPrice>
export type CustomerRecord = z.output<typeof CustomerRecord>
export type MandateRecord = z.output<typeof MandateRecord>
export type PageRecord = z.output<typeof PageRecord>
export type SubscriptionRecord = z.output<typeof SubscriptionRecord>
export type PortalSessionRecord = z.output<typeof PortalSessionRecord>
