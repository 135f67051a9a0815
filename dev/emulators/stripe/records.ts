import * as z from 'zod'
import { deliveries, owned, replies, table } from '../core/tables.ts'

/*
 * What the emulator stores, and only what it needs: `objects/` makes Stripe's full objects of these records.
 * Times are unix seconds, amounts are minor units, `account` is the Stripe account that a record belongs to.
 */

const metadata = z.record(z.string(), z.string())

/** A price as it was when it was sold, so that an edited paywall file does not change what somebody bought. */
const SoldPrice = z.object({
  id: z.string(),
  label: z.string(),
  currency: z.string(),
  amount: z.int(),
  interval: z.enum(['day', 'week', 'month', 'year']).nullable(),
  intervalCount: z.int().nullable(),
})

const CheckoutSessionRecord = z.object({
  ...owned,
  mode: z.enum(['subscription', 'payment']),
  status: z.enum(['open', 'complete', 'expired']),
  expiresAt: z.int(),
  seller: z.string(),
  price: SoldPrice,
  quantity: z.int(),
  successUrl: z.string(),
  cancelUrl: z.string().nullable(),
  clientReferenceId: z.string().nullable(),
  customerEmail: z.string().nullable(),
  /** The address that is known before anybody pays: the customer's, or `customerEmail`. */
  email: z.string().nullable(),
  customer: z.string().nullable(),
  alwaysCreateCustomer: z.boolean(),
  metadata,
  subscriptionMetadata: metadata,
  paymentMetadata: metadata,
  trialDays: z.int().nullable(),
  payerEmail: z.string().nullable(),
  payment: z.string().nullable(),
  subscription: z.string().nullable(),
  invoice: z.string().nullable(),
  /** The session is complete, but its money has not arrived. */
  unpaid: z.boolean().default(false),
})

const CustomerRecord = z.object({ ...owned, email: z.string().nullable() })

const SubscriptionRecord = z.object({
  ...owned,
  itemId: z.string(),
  customer: z.string(),
  price: SoldPrice,
  quantity: z.int(),
  status: z.enum(['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'canceled']),
  /** A time on the day of the month that periods end on; a month without that day ends them on its last. */
  anchor: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  trialEnd: z.int().nullable(),
  cancelAtPeriodEnd: z.boolean(),
  cancelAt: z.int().nullable(),
  canceledAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  cancelComment: z.string().nullable(),
  cancelFeedback: z.string().nullable(),
  cancelReason: z.enum(['cancellation_requested', 'payment_failed']).nullable(),
  metadata,
  latestInvoice: z.string(),
})

const InvoiceRecord = z.object({
  ...owned,
  lineId: z.string(),
  number: z.string(),
  customer: z.string(),
  email: z.string().nullable(),
  seller: z.string(),
  subscription: z.string(),
  subscriptionItem: z.string(),
  subscriptionMetadata: metadata,
  reason: z.enum(['subscription_create', 'subscription_cycle']),
  price: SoldPrice,
  quantity: z.int(),
  amount: z.int(),
  periodStart: z.int(),
  periodEnd: z.int(),
  status: z.enum(['draft', 'open', 'paid', 'void']),
  attempts: z.int(),
  paidAt: z.int().nullable(),
  /** The payment that is to pay it, and the id of the object that links the two; null if nothing is due. */
  payment: z.object({ id: z.string(), linkId: z.string() }).nullable(),
})

const ChargeRecord = z.object({
  id: z.string(),
  created: z.int(),
  /** The bank has not decided yet. */
  pending: z.boolean().default(false),
  succeeded: z.boolean(),
  amountRefunded: z.int(),
  disputed: z.boolean(),
})

/** A payment intent and its attempts, the latest last. */
const PaymentRecord = z.object({
  ...owned,
  amount: z.int(),
  currency: z.string(),
  customer: z.string().nullable(),
  email: z.string().nullable(),
  description: z.string(),
  metadata,
  charges: z.array(ChargeRecord),
})

const RefundRecord = z.object({
  ...owned,
  amount: z.int(),
  currency: z.string(),
  payment: z.string(),
  charge: z.string(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).nullable(),
  metadata,
})

/** Access to a customer's portal. */
const PortalSessionRecord = z.object({ ...owned, customer: z.string(), returnUrl: z.string().nullable() })

const EventRecord = z.object({
  ...owned,
  type: z.string(),
  object: z.record(z.string(), z.unknown()),
  previous: z.record(z.string(), z.unknown()).nullable(),
  request: z.object({ id: z.string().nullable(), idempotency_key: z.string().nullable() }),
})

export const Records = z.object({
  sessions: table(CheckoutSessionRecord),
  customers: table(CustomerRecord),
  subscriptions: table(SubscriptionRecord),
  invoices: table(InvoiceRecord),
  payments: table(PaymentRecord),
  refunds: table(RefundRecord),
  portalSessions: table(PortalSessionRecord),
  events: table(EventRecord),
  deliveries,
  replies,
})

export type Records = z.output<typeof Records>
export type SoldPrice = z.output<typeof SoldPrice>
export type CheckoutSessionRecord = z.output<typeof CheckoutSessionRecord>
export type CustomerRecord = z.output<typeof CustomerRecord>
export type SubscriptionRecord = z.output<typeof SubscriptionRecord>
export type InvoiceRecord = z.output<typeof InvoiceRecord>
export type ChargeRecord = z.output<typeof ChargeRecord>
export type PaymentRecord = z.output<typeof PaymentRecord>
export type RefundRecord = z.output<typeof RefundRecord>
export type PortalSessionRecord = z.output<typeof PortalSessionRecord>
export type EventRecord = z.output<typeof EventRecord>
