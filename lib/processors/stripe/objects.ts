// The fields of Stripe's objects that we rely on, in its responses and in its events. Their shape depends on the account's settings, so
// each is parsed first.
import * as z from 'zod'
import { processorId } from '../event.ts'

/** A Unix time in seconds, up to the end of the year 9999. */
const seconds = z.int().min(0).max(253_402_300_799)
const time = seconds.transform((value) => new Date(value * 1000))
const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .toUpperCase()
const email = z.string().nullish()
/** The id of an object, which may be expanded. */
const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
const customer = reference.nullable()
/** A page of Stripe's that shows a receipt. Buyers follow it, so it is a web address. Any other is left out: the payment counts anyway. */
const receiptUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .nullish()
  .catch(null)

/** Our metadata on every sale. */
export const Sale = z.object({ checkout_id: z.uuid(), paywall_id: z.string() })

/** How many units of its price an item charges for. One that is charged by usage has no quantity, and counts as one unit. */
const quantity = z
  .int()
  .min(0)
  .nullish()
  .transform((units) => units ?? 1)

const SubscriptionItem = z.object({
  quantity,
  current_period_start: time,
  current_period_end: time,
  price: z.object({
    id: z.string(),
    currency,
    unit_amount: z.int().nullable(),
    recurring: z.object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.int() }),
  }),
})

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
  schedule: reference.nullish().transform((schedule) => schedule ?? null),
  start_date: time,
  cancel_at_period_end: z.boolean(),
  cancel_at: time.nullable(),
  canceled_at: time.nullable(),
  trial_start: time.nullable(),
  trial_end: time.nullable(),
  items: z.object({ data: z.array(SubscriptionItem).min(1) }),
})

/** The lines of an invoice, credits being negative. Stripe includes only the first lines of long invoices. */
const Lines = z.object({
  has_more: z.boolean(),
  data: z.array(
    z.object({
      amount: z.int(),
      quantity,
      pricing: z.object({ price_details: z.object({ price: reference }).nullish() }).nullish(),
    }),
  ),
})

const LatestInvoice = z.object({
  status: z.string().nullable(),
  billing_reason: z.string().nullable(),
  amount_paid: z.int(),
  customer_email: email,
  lines: Lines,
})

export const SubscriptionWithInvoice = Subscription.extend({
  latest_invoice: LatestInvoice.nullable(),
  /** A change of plan that waits for the payment of the latest invoice. */
  pending_update: z.unknown(),
})

const PhaseItem = z.object({ price: reference, quantity })
/** As it is written back: Stripe refuses a quantity for a price that is charged by usage. */
const WrittenItem = z.object({ price: reference, quantity: z.int().min(0).nullish() })
const Phase = z.object({ start_date: time, items: z.array(PhaseItem).min(1) })

/** The schedule of a subscription, if it is expanded. */
export const ExpandedSchedule = z.object({ schedule: z.object({ phases: z.array(Phase) }).nullish() })

/** A subscription with what is needed to change its plan. */
export const ChangeableSubscription = Subscription.extend({
  automatic_tax: z.object({ enabled: z.boolean() }),
  items: z.object({
    data: z.array(SubscriptionItem.extend({ id: z.string() })).min(1),
  }),
  latest_invoice: z
    .object({ status: z.string().nullable(), amount_due: z.int(), hosted_invoice_url: z.url().nullish() })
    .nullable(),
  pending_update: z
    .object({
      expires_at: time,
      subscription_items: z.array(z.object({ price: z.object({ id: z.string() }), quantity })).nullable(),
    })
    .nullable(),
})
export type ChangeableSubscription = z.output<typeof ChangeableSubscription>

/** A subscription with what is needed to discount it. `discounts` are ids. */
export const DiscountableSubscription = z.object({
  schedule: reference.nullish().transform((schedule) => schedule ?? null),
  discounts: z.array(reference),
  metadata: z.record(z.string(), z.string()),
})

/** A line of an invoice preview: a negative amount is a credit. Discounts and taxes come on top, unless the price includes the tax. */
const PreviewLine = z.object({
  amount: z.int(),
  period: z.object({ end: time }),
  pricing: z.object({ price_details: z.object({ price: reference }).nullish() }).nullish(),
  parent: z
    .object({ subscription_item_details: z.object({ proration: z.boolean() }).nullish() })
    .nullish()
    .transform((parent) => ({ isProration: parent?.subscription_item_details?.proration !== false })),
  discount_amounts: z.array(z.object({ amount: z.int() })).nullish(),
  taxes: z.array(z.object({ amount: z.int(), tax_behavior: z.string() })).nullish(),
})
export type PreviewLine = z.output<typeof PreviewLine>

export const InvoicePreview = z.object({
  currency,
  amount_due: z.int(),
  total: z.int(),
  /** Negative: the customer's credit. */
  starting_balance: z.int(),
  lines: z.object({ data: z.array(PreviewLine) }),
})

/** A subscription schedule. `trial_end`: of a phase that is a trial. */
export const Schedule = z.object({
  id: z.string(),
  end_behavior: z.string(),
  phases: z
    .array(
      z.object({
        start_date: seconds,
        items: z.array(WrittenItem).min(1),
        discounts: z.array(z.object({ discount: reference.nullable() })).nullish(),
        trial_end: seconds.nullable(),
      }),
    )
    .min(1),
})
export type Schedule = z.output<typeof Schedule>

export const PaymentIntent = z.object({
  id: z.string(),
  created: time,
  customer,
  metadata: z.unknown(),
  status: z.enum([
    'requires_payment_method',
    'requires_confirmation',
    'requires_action',
    'processing',
    'requires_capture',
    'canceled',
    'succeeded',
  ]),
  amount: z.int(),
  currency,
  latest_charge: z
    .object({ refunded: z.boolean(), disputed: z.boolean(), billing_details: z.object({ email }).nullish() })
    .nullable(),
})

export const PaidPage = z.object({ payment_intent: z.unknown() })
export const ReceiptedPayment = z.object({ latest_charge: z.object({ receipt_url: receiptUrl }) })
export const DisputedPayment = z.object({ id: z.string(), latest_charge: z.object({ disputed: z.literal(true) }) })
const Dispute = z.object({ id: z.string(), status: z.string(), amount: z.int(), currency, created: time })
export type Dispute = z.output<typeof Dispute>
export const Disputes = z.object({ data: z.array(Dispute) })

/** The state of a hosted page, if nothing else is needed. */
export const CheckoutState = z.object({ status: z.enum(['open', 'complete', 'expired']) })
export const OpenedSession = z.object({ id: z.string(), url: z.url(), expires_at: time })
export const PortalSession = z.object({ url: z.url() })

export const CheckoutSession = CheckoutState.extend({
  id: z.string(),
  created: time,
  customer,
  metadata: z.unknown(),
  amount_total: z.int().nullable(),
  currency: currency.nullable(),
  customer_details: z.object({ email }).nullish(),
  subscription: z.unknown(),
  payment_intent: z.unknown(),
})

export const InvoiceStatus = z.object({ id: z.string(), status: z.string().nullable() })
export const InvoiceStatuses = z.object({ data: z.array(InvoiceStatus) })

/** Items that are charged with the next invoice. */
export const PendingItems = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
    }),
  ),
})

export const PaymentInvoice = z.object({
  id: processorId,
  parent: z.object({ subscription_details: z.object({ subscription: processorId }).nullable() }).nullable(),
})
export const InvoicePayments = z.object({ data: z.array(z.object({ invoice: PaymentInvoice })) })

/** A payment of an invoice; one that was made outside of Stripe has no payment intent. */
export const InvoicePaymentIntents = z.object({
  data: z.array(
    z.object({
      status: z.string(),
      payment: z.object({ payment_intent: reference.nullish().transform((id) => id ?? undefined) }),
    }),
  ),
})

export const RefundablePayment = z.object({
  currency,
  latest_charge: z.object({ amount_captured: z.int(), amount_refunded: z.int() }).nullable(),
})

export const MadeRefund = z.object({
  id: processorId,
  amount: z.int(),
  currency,
  created: time,
  status: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
})
export const MadeRefunds = z.object({ data: z.array(MadeRefund) })

export const Refund = z.object({ id: z.string(), status: z.string().nullable() })

/** An amount in an event, in Stripe's units. */
const amount = z.int().min(0)

export const Event = z.object({
  id: processorId,
  type: z.string(),
  created: seconds,
  data: z.object({ object: z.unknown() }),
})

export const EventSubscription = z.object({ id: processorId })
export const EventSchedule = z.object({
  subscription: processorId.nullable(),
  released_subscription: processorId.nullable(),
})
export const EventTrial = EventSubscription.extend({
  cancel_at_period_end: z.boolean(),
  cancel_at: seconds.nullable(),
  trial_end: seconds.nullable(),
})

export const EventSession = z.object({
  id: processorId,
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: processorId.nullable(),
  invoice: processorId.nullish(),
  amount_total: amount.nullable(),
  total_details: z.object({ amount_tax: z.int(), amount_discount: z.int() }).nullish(),
  currency: currency.nullable(),
})

/** A line of an invoice: a period of a subscription, or the proration of one after a change of plan. */
const PeriodLine = z.object({
  quantity,
  period: z.object({ start: time }),
  pricing: z.object({ price_details: z.object({ price: reference }) }),
  parent: z.object({ subscription_item_details: z.object({ proration: z.boolean() }) }),
})

export const EventInvoice = PaymentInvoice.extend({
  billing_reason: z.string().nullish(),
  lines: z.object({ data: z.array(z.union([PeriodLine, z.unknown().transform(() => null)])) }).nullish(),
  currency,
  total: z.int(),
  /** The taxes that the total includes. */
  total_taxes: z.array(z.object({ amount: z.int() })).nullish(),
  /** The discounts that the total is reduced by. */
  total_discount_amounts: z.array(z.object({ amount: z.int() })).nullish(),
  amount_paid: amount,
  amount_due: amount,
  attempt_count: z.int(),
  hosted_invoice_url: receiptUrl,
})

/** A refund or a dispute. */
export const Reversal = z.object({
  id: processorId,
  amount,
  currency,
  status: z.string().nullable(),
  payment_intent: processorId.nullable(),
})

/** With `applies_to` expanded. Absent: it applies to all products. */
export const Coupon = z.object({
  percent_off: z.number().nullable(),
  amount_off: z.int().nullable(),
  currency: currency.nullable(),
  duration: z.string(),
  duration_in_months: z.int().nullable(),
  valid: z.boolean(),
  max_redemptions: z.int().nullish(),
  times_redeemed: z.int(),
  redeem_by: time.nullish(),
  applies_to: z.object({ products: z.array(z.string()) }).nullish(),
})
export type Coupon = z.output<typeof Coupon>

export const PriceProduct = z.object({ product: reference })
