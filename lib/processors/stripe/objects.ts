// The fields of Stripe's objects that we rely on, as it answers with them and as its events carry them. A shape depends on the
// account's settings, so each is parsed first.
import * as z from 'zod'
import { processorId } from '../event.ts'

const time = z.int().transform((value) => new Date(value * 1000))
const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .toUpperCase()
const email = z.string().nullish()
const customer = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullable()

/** The metadata that we put on every sale. */
export const Sale = z.object({ checkout_id: z.uuid(), paywall_id: z.string() })

export const Subscription = z.object({
  id: z.string(),
  customer,
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ]),
  metadata: z.unknown(),
  cancel_at_period_end: z.boolean(),
  cancel_at: time.nullable(),
  canceled_at: time.nullable(),
  trial_start: time.nullable(),
  trial_end: time.nullable(),
  items: z.object({
    data: z
      .array(
        z.object({
          current_period_start: time,
          current_period_end: time,
          price: z.object({
            currency,
            unit_amount: z.int().nullable(),
            recurring: z.object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.int() }),
          }),
        }),
      )
      .min(1),
  }),
})

export const SubscriptionWithInvoice = Subscription.extend({
  latest_invoice: z.object({ status: z.string().nullable(), customer_email: email }).nullable(),
})

export const PaymentIntent = z.object({
  id: z.string(),
  customer,
  metadata: z.unknown(),
  status: z.string(),
  amount: z.int(),
  currency,
  latest_charge: z.object({ refunded: z.boolean(), billing_details: z.object({ email }).nullish() }).nullable(),
})

export const CheckoutSession = z.object({
  id: z.string(),
  customer,
  status: z.enum(['open', 'complete', 'expired']),
  metadata: z.unknown(),
  amount_total: z.int().nullable(),
  currency: currency.nullable(),
  customer_details: z.object({ email }).nullish(),
  subscription: z.unknown(),
  payment_intent: z.unknown(),
})

export const InvoiceOfPayment = z.object({
  parent: z.object({ subscription_details: z.object({ subscription: processorId }).nullable() }).nullable(),
})
export const InvoicePayments = z.object({ data: z.array(z.object({ invoice: InvoiceOfPayment })) })

/** Of an event: seconds since 1970, up to the end of the year 9999, and amounts in Stripe's units. */
const seconds = z.int().min(0).max(253_402_300_799)
const amount = z.int().min(0)

export const Event = z.object({
  id: processorId,
  type: z.string(),
  created: seconds,
  data: z.object({ object: z.unknown() }),
})

export const SubscriptionOfEvent = z.object({ id: processorId })

export const SessionOfEvent = z.object({
  id: processorId,
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: processorId.nullable(),
  amount_total: amount.nullable(),
  currency: currency.nullable(),
})

export const InvoiceOfEvent = InvoiceOfPayment.extend({
  id: processorId,
  currency,
  amount_paid: amount,
  amount_due: amount,
  attempt_count: z.int(),
})

/** A refund or a dispute. */
export const Reversal = z.object({
  id: processorId,
  amount,
  currency,
  status: z.string().nullable(),
  payment_intent: processorId.nullable(),
})
