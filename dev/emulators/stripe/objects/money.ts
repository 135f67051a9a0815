import { computeAmounts, withoutDiscount } from '../../core/domain/amounts.ts'
import { type AccountContext, find } from '../../core/domain/context.ts'
import { nextChargeAt } from '../../core/domain/dues.ts'
import { invoiceNumber } from '../../core/domain/invoices.ts'
import type { DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { latestAttempt } from '../../core/domain/payments.ts'
import { listDisputes, refundedAmount } from '../../core/domain/reversals.ts'
import { sumTotals } from '../../core/domain/sales.ts'
import type { PricedLine } from '../../core/domain/selling-records.ts'
import { DAY_SECONDS } from '../../core/periods.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import type { Views } from '../../core/wire/views.ts'
import { paymentOwn, refundOwn, subscriptionOwn } from '../own.ts'
import { renewals } from '../rules.ts'
import { productId, subscriptionItemId } from './selling.ts'
import { complete, toList } from './wire.ts'

/** Invoices, payments, refunds and disputes. */
export const MONEY = {
  invoices(invoice, context) {
    const { id, amount, attempts, created, status, subscription, discount, tax, fromBalance } = invoice
    const { subtotal, total } = sumTotals(invoice)
    const paid = status === 'paid'
    const closed = paid || status === 'void'
    const isDraft = status === 'draft'
    const charged = nextChargeAt(invoice, renewals(context))
    const finalizedAt = isDraft ? null : created
    return complete('invoice', {
      ...snakeFields(invoice, 'id', 'created', 'customer', 'status'),
      amount_due: amount,
      ...same(subtotal, 'subtotal subtotal_excluding_tax'),
      total,
      total_excluding_tax: total - tax,
      starting_balance: -Math.max(0, fromBalance),
      ending_balance: Math.min(0, fromBalance),
      total_discount_amounts: discount === 0 ? [] : [{ amount: discount, discount: `di_${id.slice(3)}` }],
      total_taxes: tax === 0 ? [] : [complete('total_tax', { amount: tax, taxable_amount: total - tax })],
      ...same(created, 'period_end period_start webhooks_delivered_at'),
      account_name: invoice.seller,
      amount_paid: paid ? amount : 0,
      amount_remaining: paid ? 0 : amount,
      attempt_count: attempts,
      attempted: attempts > 0,
      auto_advance: !closed,
      automatically_finalizes_at: isDraft ? charged : null,
      billing_reason: `subscription_${invoice.reason}`,
      currency: invoice.price.currency,
      customer_email: invoice.email,
      effective_at: finalizedAt,
      hosted_invoice_url: isDraft ? null : `${context.url}/i/${id}`,
      lines: toList(
        `/v1/invoices/${id}/lines`,
        invoice.lines.map((line, index) => lineObject(context, invoice, line, index)),
      ),
      next_payment_attempt: closed || invoice.isGivenUp ? null : charged,
      number: isDraft ? null : invoiceNumber(invoice),
      parent: { subscription_details: { metadata: readMetadata(invoice), subscription } },
      status_transitions: { finalized_at: finalizedAt, paid_at: invoice.paidAt },
    })
  },

  payments(payment, context) {
    const charge = latestAttempt(context, payment.id)
    const waits = payment.status === 'open' && paymentOwn(payment).requires_action
    return complete('payment_intent', {
      ...common(payment),
      ...snakeFields(payment, 'id', 'created'),
      amount_received: payment.status === 'paid' ? payment.amount : 0,
      last_payment_error: charge?.status === 'failed' ? { charge: charge.id } : null,
      latest_charge: charge?.id ?? null,
      next_action: waits ? { type: 'use_stripe_sdk', use_stripe_sdk: {} } : null,
      status: waits ? 'requires_action' : (INTENTS[payment.status] ?? 'requires_payment_method'),
    })
  },

  /** A charge is an attempt of a payment. */
  attempts(charge, context) {
    const payment = find(context, 'payments', charge.payment)
    const paid = charge.status === 'paid'
    const failed = charge.status === 'failed'
    const refunded = paid ? refundedAmount(context, payment) : 0
    return complete('charge', {
      ...common(payment),
      ...snakeFields(charge, 'id', 'created'),
      amount_captured: paid ? payment.amount : 0,
      amount_refunded: refunded,
      billing_details: { email: payment.email },
      captured: paid,
      disputed: paid && listDisputes(context, payment).length > 0,
      failure_code: failed ? 'card_declined' : null,
      failure_message: failed ? 'Your card was declined.' : null,
      paid,
      payment_intent: payment.id,
      receipt_url: paid ? `${context.url}/receipts/${charge.id}` : null,
      refunded: refunded === payment.amount,
      status: charge.status === 'paid' ? 'succeeded' : charge.status,
    })
  },

  refunds: (refund, context) =>
    complete('refund', {
      ...reversalFields(refund, context),
      metadata: refundOwn(refund).metadata,
      customer: find(context, 'payments', refund.payment).customer,
      ...(refund.status === 'failed' && { failure_reason: 'lost_or_stolen_card' }),
      status: REFUNDS[refund.status] ?? 'pending',
    }),

  /** A dispute without evidence by the seller. That it is due in a week is UNVERIFIED. */
  disputes: (dispute, context) =>
    complete('dispute', {
      ...reversalFields(dispute, context),
      evidence_details: { due_by: dispute.created + 7 * DAY_SECONDS },
      is_charge_refundable: dispute.status === 'warning',
      status: DISPUTES[dispute.status],
    }),
} satisfies Views

/** A warning is an inquiry, which moves no money. */
const DISPUTES = {
  open: 'needs_response',
  won: 'won',
  lost: 'lost',
  warning: 'warning_needs_response',
  closed: 'warning_closed',
} as const

const INTENTS: Partial<Record<PaymentRecord['status'], 'succeeded' | 'processing'>> = {
  paid: 'succeeded',
  pending: 'processing',
}
const REFUNDS: Partial<Record<RefundRecord['status'], string>> = { refunded: 'succeeded', failed: 'failed' }

/** The link from an invoice to its payment intent. An invoice of amount 0 has none. */
export function invoicePayments(invoice: InvoiceRecord) {
  const { id, amount, payment, paidAt } = invoice
  if (payment === null) return []
  const paid = invoice.status === 'paid'
  return [
    complete('invoice_payment', {
      ...snakeFields(invoice, 'created'),
      id: `inpay_${id.slice(3)}`,
      amount_paid: paid ? amount : null,
      amount_requested: amount,
      currency: invoice.price.currency,
      invoice: id,
      payment: { payment_intent: payment },
      status: paid ? 'paid' : 'open',
      status_transitions: { paid_at: paidAt },
    }),
  ]
}

function lineObject(context: AccountContext, invoice: InvoiceRecord, line: PricedLine, index: number) {
  const { id, subscription } = invoice
  const { terms } = find(context, 'subscriptions', subscription)
  const { discount, tax } = computeAmounts(invoice.discount === 0 ? withoutDiscount(terms) : terms, [line])
  const { price, quantity, amount, isProration: proration } = line
  return complete('line_item', {
    amount,
    quantity,
    subscription,
    id: `il_${id.slice(3)}${index || ''}`,
    currency: price.currency,
    discount_amounts: discount === 0 ? [] : [{ amount: discount, discount: `di_${id.slice(3)}` }],
    taxes: tax === 0 ? [] : [complete('total_tax', { amount: tax, taxable_amount: line.amount - discount })],
    description: proration
      ? `${amount < 0 ? 'Unused' : 'Remaining'} time on ${quantity > 1 ? `${quantity} × ` : ''}${price.label}`
      : `${quantity} × ${price.label}`,
    invoice: id,
    metadata: readMetadata(invoice),
    parent: {
      subscription_item_details: {
        subscription,
        subscription_item: subscriptionItemId({ id: subscription }),
        proration,
      },
    },
    period: { end: line.periodEnd, start: line.periodStart },
    pricing: {
      price_details: { price: price.id, product: productId(price) },
      unit_amount_decimal: String(price.amount),
    },
    quantity_decimal: String(quantity),
    subtotal: amount,
  })
}

const readMetadata = ({ own }: InvoiceRecord) => subscriptionOwn({ own }).metadata

/** The common fields of an intent and its charges. */
const common = (payment: PaymentRecord) => ({
  ...snakeFields(payment, 'amount', 'currency', 'customer', 'description'),
  metadata: paymentOwn(payment).metadata,
})

/** The common fields of refunds and disputes, which refer to the payment's latest charge. */
function reversalFields(reversal: RefundRecord | DisputeRecord, context: AccountContext) {
  const { id, currency } = find(context, 'payments', reversal.payment)
  const charge = latestAttempt(context, id)?.id ?? ''
  return { ...snakeFields(reversal, 'id', 'amount', 'created'), charge, currency, payment_intent: id }
}

type Words<Line extends string> = Line extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Line

/** One value for several fields: `same(amount, 'subtotal total')`. */
const same = <Value, const Line extends string>(value: Value, line: Line) =>
  Object.fromEntries(line.split(' ').map((name) => [name, value])) as Record<Words<Line>, Value>
