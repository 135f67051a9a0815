import * as z from 'zod'
import { INTERVALS } from '../processor.ts'
import { receiptUrl } from '../receipt-url.ts'

/** The fields of Chargebee's objects that we rely on. Chargebee omits absent fields; they are never null. */

/** A Unix time in seconds, up to the end of the year 9999. */
export const seconds = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((value) => new Date(value * 1000))

/**
 * An id that can be part of a URL path, encoded except for its slashes. The owner chooses the prefix of invoices' ids, and may have
 * imported invoices with other ids, so everything is allowed except path traversal.
 */
export const id = z.string().regex(/^(?!.*(^|\/)\.{1,2}(\/|$))[^\p{C}]{1,100}$/u)

const amount = z.int().min(0)
const currency = z.string().regex(/^[A-Z]{3}$/)
const transactionStatus = z.enum([
  'in_progress',
  'success',
  'voided',
  'failure',
  'timeout',
  'needs_attention',
  'late_failure',
])

/** An open enum: Chargebee may add values. Known values are compared where they are used. */
const open = z.string()

export const HostedPage = z.object({
  id: z.string(),
  url: z.url().optional(),
  state: z.enum(['created', 'requested', 'succeeded', 'cancelled', 'acknowledged']),
  expires_at: seconds.optional(),
  content: z.object({ subscription: z.object({ id }).optional(), invoice: z.object({ id }).optional() }).optional(),
})
export type HostedPage = z.output<typeof HostedPage>

export const Customer = z.object({ id: z.string(), email: z.string().optional() })
export type Customer = z.output<typeof Customer>

/** The version of an object, which grows with every change. */
const version = z.int().min(0).optional()

const SubscriptionItem = z.object({
  item_price_id: z.string().optional(),
  item_type: open,
  quantity: z.int().min(0).optional(),
  unit_price: amount.optional(),
  amount: amount.optional(),
})

export const Subscription = z.object({
  id: z.string(),
  customer_id: z.string(),
  currency_code: currency,
  status: z.enum(['future', 'in_trial', 'active', 'non_renewing', 'paused', 'cancelled', 'transferred']),
  billing_period: z.int().min(1).optional(),
  billing_period_unit: z.enum(INTERVALS).optional(),
  resource_version: version,
  created_at: seconds.optional(),
  trial_start: seconds.optional(),
  trial_end: seconds.optional(),
  started_at: seconds.optional(),
  current_term_start: seconds.optional(),
  current_term_end: seconds.optional(),
  cancelled_at: seconds.optional(),
  cancel_schedule_created_at: seconds.optional(),
  cancel_reason: z.string().optional(),
  due_invoices_count: z.int().min(0).default(0),
  has_scheduled_changes: z.boolean().default(false),
  changes_scheduled_at: seconds.optional(),
  subscription_items: z.array(SubscriptionItem).default([]),
})
export type Subscription = z.output<typeof Subscription>

/** A subscription with what is needed to discount it. `discounts`: those that its seller gave without a coupon. */
const DiscountableSubscription = Subscription.extend({
  coupons: z.array(z.object({ coupon_id: z.string() })).default([]),
  discounts: z.array(z.looseObject({})).default([]),
})
export type DiscountableSubscription = z.output<typeof DiscountableSubscription>

const LineItem = z.object({
  entity_type: z.string(),
  entity_id: z.string().optional(),
  /** Absent for a flat fee. */
  quantity: z.int().min(0).default(1),
  amount: z.int().default(0),
  date_from: seconds.optional(),
  date_to: seconds,
})

const LinkedPayment = z.object({
  txn_id: z.string().optional(),
  txn_status: open.optional(),
  txn_amount: amount.optional(),
  txn_date: seconds.optional(),
})

const IssuedCreditNote = z.object({
  cn_id: z.string().optional(),
  cn_status: open,
  cn_total: amount.optional(),
  cn_date: seconds.optional(),
  cn_reason_code: z.string().optional(),
})

export const Invoice = z.object({
  id,
  customer_id: z.string(),
  subscription_id: z.string().optional(),
  /** Whether it belongs to a subscription. One for several subscriptions may name none. */
  recurring: z.boolean().default(false),
  po_number: z.string().optional(),
  status: z.enum(['paid', 'posted', 'payment_due', 'not_paid', 'voided', 'pending']),
  currency_code: currency,
  resource_version: version,
  date: seconds.optional(),
  total: amount.default(0),
  /** The tax that the total includes. */
  tax: amount.optional(),
  /** What the total is reduced by. Absent: nothing. */
  discounts: z.array(z.object({ amount })).default([]),
  line_items: z.array(LineItem).default([]),
  linked_payments: z.array(LinkedPayment).default([]),
  issued_credit_notes: z.array(IssuedCreditNote).default([]),
})
export type Invoice = z.output<typeof Invoice>

export const Transaction = z.object({
  id,
  subscription_id: z.string().optional(),
  payment_method: z.string().optional(),
  type: open,
  status: transactionStatus.optional(),
  amount: amount.default(0),
  currency_code: currency,
  linked_invoices: z.array(z.object({ invoice_id: id })).default([]),
  linked_payments: z.array(z.object({ id })).default([]),
  linked_credit_notes: z.array(z.object({ cn_id: id, cn_reference_invoice_id: id.optional() })).default([]),
  refunded_txn_id: id.optional(),
  reversal_transaction_id: id.optional(),
})
export type Transaction = z.output<typeof Transaction>

export const CreditNote = z.object({ id: id.optional(), reason_code: z.string().optional() })

/** Which items of a type a coupon applies to, if it does not apply to the whole invoice. */
const ItemConstraint = z.object({
  item_type: open,
  constraint: open,
  item_price_ids: z.array(z.string()).default([]),
})

/** `period` and `period_unit`: how long a coupon for a limited period lasts, from the first invoice that it reduces. */
export const Coupon = z.object({
  status: open.default('active'),
  discount_type: open,
  discount_percentage: z.number().optional(),
  discount_amount: amount.optional(),
  currency_code: currency.optional(),
  duration_type: open,
  period: z.int().optional(),
  period_unit: z.enum(INTERVALS).optional(),
  apply_on: open,
  item_constraints: z.array(ItemConstraint).default([]),
  max_redemptions: z.int().optional(),
  redemptions: z.int().default(0),
  valid_from: seconds.optional(),
  valid_till: seconds.optional(),
  coupon_constraints: z.array(z.object({ type: open, value: z.string().optional() })).default([]),
})
export type Coupon = z.output<typeof Coupon>

const InvoiceEstimate = z.object({ total: amount, amount_due: amount })

/**
 * What a change of a subscription would cost: `invoice_estimate` is charged at once, `next_invoice_estimate` later. A credit note is for
 * unused time; what is left of it pays for later invoices.
 */
const Estimate = z.object({
  subscription_estimate: z.object({ next_billing_at: seconds.optional() }).optional(),
  invoice_estimate: InvoiceEstimate.optional(),
  next_invoice_estimate: InvoiceEstimate.optional(),
  credit_note_estimates: z.array(z.object({ total: amount, amount_available: amount })).default([]),
})

/** The versioned objects of an event. */
const Version = z.object({ id: z.string(), resource_version: version })
const VersionOfInvoice = Version.extend({
  subscription_id: z.string().optional(),
  line_items: z.array(LineItem.pick({ date_to: true })).default([]),
})
export const Versioned = z.object({ subscription: Version.optional(), invoice: VersionOfInvoice.optional() })

/** The bodies of responses. */
export const PageReply = z.object({ hosted_page: HostedPage })
export const OpenedPageReply = z.object({
  hosted_page: z.object({ id: z.string(), url: z.url(), expires_at: seconds.optional() }),
})
export const PortalReply = z.object({ portal_session: z.object({ access_url: z.url() }) })
export const DownloadReply = (base: string | null) =>
  z.object({ download: z.object({ download_url: receiptUrl(base) }) })
export const SubscriptionReply = z.object({ subscription: Subscription, customer: Customer.optional() })
export const DiscountableReply = z.object({ subscription: DiscountableSubscription })
export const EstimateReply = z.object({ estimate: Estimate })
export const InvoiceReply = z.object({ invoice: Invoice })
export const InvoiceList = z.object({ list: z.array(InvoiceReply), next_offset: z.string().optional() })
export const UnbilledChargeList = z.object({ list: z.array(z.object({ unbilled_charge: z.object({ id }) })) })
export const CouponReply = z.object({ coupon: Coupon })
export const CustomerReply = z.object({ customer: Customer })
export const TransactionReply = z.object({ transaction: Transaction })
