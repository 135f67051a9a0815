import * as z from 'zod'
import { deliveries, owned, replies, table } from '../core/tables.ts'
import { Amount } from './amounts.ts'
import { Metadata } from './metadata.ts'

/*
 * What the emulator remembers, in its own small words. `objects/` turns a record into Mollie's shape.
 * Times are unix seconds, dates `YYYY-MM-DD`, `account` the Mollie account a record belongs to.
 */

const CustomerRecord = z.object({
  ...owned,
  name: z.string().nullable(),
  email: z.string().nullable(),
  locale: z.string().nullable(),
  metadata: Metadata,
})

/** Permission to charge a customer, given by a first payment. */
const MandateRecord = z.object({
  ...owned,
  customer: z.string(),
  payment: z.string(),
  method: z.enum(['creditcard', 'directdebit', 'paypal']),
  /** Made while mandates were slow. */
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
  /** When the page of an open one closes; a subscription's payment has none. */
  expiresAt: z.int().nullable(),
  /** When it became what it is, if it is not open or pending any more. */
  endedAt: z.int().nullable(),
})

const SubscriptionRecord = z.object({
  ...owned,
  customer: z.string(),
  mandate: z.string(),
  amount: Amount,
  interval: z.string(),
  times: z.int().nullable(),
  /** How many payments it has made. */
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

/** `entity` as it was then. */
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
