import * as z from 'zod'
import { deliveries, owned, replies, table } from '../core/tables.ts'
import { Amount } from './amounts.ts'
import { Metadata } from './metadata.ts'

/*
 * What the emulator stores, and only what it needs: `objects/` makes Mollie's full objects of these records.
 * Times are unix seconds, dates are `YYYY-MM-DD`, `account` is the Mollie account that a record belongs to.
 */

const CustomerRecord = z.object({
  ...owned,
  name: z.string().nullable(),
  email: z.string().nullable(),
  locale: z.string().nullable(),
  metadata: Metadata,
})

/** The permission to charge a customer again, given by a first payment. */
const MandateRecord = z.object({
  ...owned,
  customer: z.string(),
  payment: z.string(),
  method: z.enum(['creditcard', 'directdebit', 'paypal']),
  /** Made while the emulator's `slowMandates` was set. */
  slow: z.boolean(),
  revoked: z.boolean(),
})

const PaymentRecord = z.object({
  ...owned,
  amount: Amount,
  description: z.string(),
  redirectUrl: z.string().nullable(),
  cancelUrl: z.string().nullable(),
  webhookUrl: z.string().nullable(),
  sequenceType: z.enum(['oneoff', 'first', 'recurring']),
  customer: z.string().nullable(),
  mandate: z.string().nullable(),
  subscription: z.string().nullable(),
  method: z.string().nullable(),
  locale: z.string().nullable(),
  metadata: Metadata,
  status: z.enum(['open', 'pending', 'paid', 'failed', 'canceled', 'expired']),
  /** When an open payment expires; null for a subscription's payment, which has no page. */
  expiresAt: z.int().nullable(),
  /** When it got its last status; null while it is open or pending. */
  endedAt: z.int().nullable(),
})

const SubscriptionRecord = z.object({
  ...owned,
  customer: z.string(),
  mandate: z.string(),
  amount: Amount,
  interval: z.string(),
  times: z.int().nullable(),
  /** How many times it was charged. */
  charged: z.int(),
  startDate: z.string(),
  nextPaymentDate: z.string().nullable(),
  description: z.string(),
  method: z.enum(['creditcard', 'directdebit', 'paypal']).nullable(),
  webhookUrl: z.string().nullable(),
  metadata: Metadata,
  status: z.enum(['active', 'canceled', 'suspended', 'completed']),
  canceledAt: z.int().nullable(),
})

const RefundRecord = z.object({
  ...owned,
  payment: z.string(),
  amount: Amount,
  description: z.string(),
  metadata: Metadata,
})

const ChargebackRecord = z.object({ ...owned, payment: z.string(), amount: Amount })

/** `entity` is the object as it was when the event happened. */
const EventRecord = z.object({ ...owned, type: z.string(), entity: z.looseObject({ id: z.string() }) })

export const Records = z.object({
  customers: table(CustomerRecord),
  mandates: table(MandateRecord),
  payments: table(PaymentRecord),
  subscriptions: table(SubscriptionRecord),
  refunds: table(RefundRecord),
  chargebacks: table(ChargebackRecord),
  events: table(EventRecord),
  deliveries,
  replies,
})

export type Records = z.output<typeof Records>
export type CustomerRecord = z.output<typeof CustomerRecord>
export type MandateRecord = z.output<typeof MandateRecord>
export type PaymentRecord = z.output<typeof PaymentRecord>
export type SubscriptionRecord = z.output<typeof SubscriptionRecord>
export type RefundRecord = z.output<typeof RefundRecord>
export type ChargebackRecord = z.output<typeof ChargebackRecord>
export type EventRecord = z.output<typeof EventRecord>
