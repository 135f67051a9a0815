import * as z from 'zod'
import { toMinorUnits } from '../../money/money.ts'
import { processorId } from '../event.ts'
import { INTERVALS } from '../processor.ts'

/** The fields of Mollie's objects that we rely on. */

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const date = z.iso.date().transform((text) => new Date(text))

/** The seller's own data. Mollie may return an object as JSON text, as its examples show. */
const metadata = z.unknown().optional().transform(fromText)

/** An amount. Mollie writes it as text with the currency's decimals; converted to minor units. */
export const Amount = z
  .object({ currency: z.string().regex(/^[A-Z]{3}$/), value: z.string().regex(/^\d{1,12}(\.\d{1,4})?$/) })
  .transform(({ currency, value }) => ({ currency, amount: toMinorUnits(Number(value), currency) }))

export const Customer = z.object({ id: z.string() })

/** A refund. Mollie may add statuses. */
const Refund = z.object({ id: processorId, status: z.string(), amount: Amount, createdAt: time })

/** A refund with the metadata that it was made with. */
export const RefundInReply = Refund.extend({ metadata })
export type RefundInReply = z.output<typeof RefundInReply>

/** A chargeback: the money is gone at once. `reversedAt`: it was returned to the seller. */
const Chargeback = z.object({ id: processorId, amount: Amount, createdAt: time, reversedAt: time.nullish() })

export const Payment = z.object({
  id: z.string(),
  status: z.enum(['open', 'pending', 'authorized', 'paid', 'canceled', 'expired', 'failed']),
  sequenceType: z.enum(['oneoff', 'first', 'recurring']),
  description: z.string(),
  amount: Amount,
  amountRefunded: Amount.nullish(),
  amountChargedBack: Amount.nullish(),
  customerId: z.string().nullish(),
  mandateId: z.string().nullish(),
  subscriptionId: z.string().nullish(),
  redirectUrl: z.string().nullish(),
  cancelUrl: z.string().nullish(),
  metadata,
  createdAt: time,
  paidAt: time.nullish(),
  failedAt: time.nullish(),
  // The links exist if there are refunds or chargebacks, failed and reversed ones included.
  _links: z.object({
    checkout: z.object({ href: z.url() }).nullish(),
    refunds: z.unknown().optional(),
    chargebacks: z.unknown().optional(),
  }),
  /** Absent in lists. */
  _embedded: z.object({ refunds: z.array(Refund).nullish(), chargebacks: z.array(Chargeback).nullish() }).nullish(),
})
export type Payment = z.output<typeof Payment>

/** A payment with its refunds. */
export const RefundablePayment = z.object({
  status: z.string(),
  amount: Amount,
  amountRefunded: Amount.nullish(),
  amountChargedBack: Amount.nullish(),
  _embedded: z.object({ refunds: z.array(RefundInReply).nullish() }).nullish(),
})
export type RefundablePayment = z.output<typeof RefundablePayment>

/**
 * Whether a bank has charged back the whole payment. A direct debit may be refused days after it was settled: then it stays `paid`, and is
 * charged back.
 */
export const isChargedBack = ({ amount, amountChargedBack }: Payment) =>
  amount.amount > 0 && (amountChargedBack?.amount ?? 0) >= amount.amount

/** Whether the payment was returned to the buyer entirely. */
export function isGivenBack({ amount, amountRefunded, amountChargedBack }: Payment): boolean {
  const back = (amountRefunded?.amount ?? 0) + (amountChargedBack?.amount ?? 0)
  return amount.amount > 0 && back >= amount.amount
}

export const hasReversals = ({ _links: { refunds, chargebacks } }: Payment) => refunds != null || chargebacks != null

export const OpenedPayment = z.object({
  id: z.string(),
  _links: z.object({ checkout: z.object({ href: z.url() }) }),
})

export const Subscription = z.object({
  id: z.string(),
  customerId: z.string(),
  status: z.enum(['pending', 'active', 'canceled', 'suspended', 'completed']),
  amount: Amount,
  interval: z.string().regex(/^[1-9]\d{0,2} (day|week|month)s?$/),
  startDate: date,
  nextPaymentDate: date.nullish(),
  mandateId: z.string().nullish(),
  canceledAt: time.nullish(),
  metadata,
  createdAt: time,
})
export type Subscription = z.output<typeof Subscription>

export const Payments = z.object({ _embedded: z.object({ payments: z.array(Payment) }) })
export const Subscriptions = z.object({ _embedded: z.object({ subscriptions: z.array(Subscription) }) })

/**
 * What an offer takes off: `reduced` is charged instead of `price`, for the first `periods`, of which the first payment pays for one, unless
 * they begin `after_trial`. Both are amounts for all units, as Mollie writes them. A one-time price has no periods. `use`: the offer to stay
 * that a running subscription was given. Its periods begin with the first charge after that.
 */
export const Reduction = z.object({
  price: z.string(),
  reduced: z.string(),
  periods: z.union([z.int().min(1), z.literal('forever')]).optional(),
  after_trial: z.literal(true).optional(),
  use: z.string().optional(),
})
export type Reduction = z.output<typeof Reduction>

/** Our metadata on every payment of a hosted page. */
export const Sale = z.object({
  checkout_id: z.uuid(),
  paywall_id: z.string(),
  user_id: z.string(),
  reduction: Reduction.optional(),
})

/** A number of units. Metadata without one is about a single unit. */
const quantity = z.int().min(1).default(1)

/** Our metadata on a first payment, which also describes the subscription that is created once it is paid. */
export const FirstSale = Sale.extend({
  interval: z.enum(INTERVALS),
  interval_count: z.int().min(1),
  trial_days: z.int().min(0),
  /** The price of one unit. */
  renewal: z.object({ currency: z.string(), value: z.string() }),
  quantity,
  /** When the buyer cancelled, if that was before the subscription was created. */
  canceled_at: time.optional(),
})
export type FirstSale = z.output<typeof FirstSale>

/** What a subscription charges, in Mollie's words: an amount for each unit, and an interval such as `1 month`. */
export const Terms = z.object({ currency: z.string(), value: z.string(), interval: z.string(), quantity })
export type Terms = z.output<typeof Terms>

/**
 * Our metadata on a subscription, which Mollie copies to each of its payments. What is known of its offer and of changes of its plan is
 * optional: a subscription on which the owner has edited it must still be found.
 */
export const Renewal = Sale.extend({
  first_payment: processorId,
  /** Until the plan is changed. It stays when it has ended. */
  reduction: Reduction.optional().catch(undefined),
  /**
   * The price of one unit and their number, if it is sold for several: Mollie knows only the sum. If that differs, and no offer reduces it, the
   * owner has set another amount at Mollie, which counts as the price of one unit.
   */
  units: z.object({ value: z.string(), quantity }).optional().catch(undefined),
  /** The last change at once. `payment`: that of the difference, if anything was due. */
  changed: z.object({ at: time, to: Terms, payment: processorId.optional() }).optional().catch(undefined),
  /** The change for the charge on the date `at`. Its amount is set already; its interval is set after that charge. */
  scheduled: z.object({ at: date, from: Terms, to: Terms }).optional().catch(undefined),
  /** The last payment of a difference that has changed the plan. Later ones have not changed it yet. */
  settled: z.object({ payment: processorId, paid_at: time }).optional().catch(undefined),
  /** The date of the charge from which the interval counts since it was changed. */
  counted_from: date.optional().catch(undefined),
})
export type Renewal = z.output<typeof Renewal>

/** Our metadata on a subscription or on a payment; null if it is none of ours. */
export const readRenewal = (metadata: unknown): Renewal | null => Renewal.safeParse(metadata).data ?? null

/**
 * Our metadata on the payment of a difference, which belongs to no subscription: the change that it pays for. `key` is the idempotency key
 * of the change, and `period_start` the period for which the difference was calculated.
 */
export const Difference = Sale.extend({
  first_payment: processorId,
  change: z.object({ key: z.string(), from: Terms, to: Terms, period_start: time }),
})

function fromText(written: unknown): unknown {
  if (typeof written !== 'string') return written
  try {
    return JSON.parse(written)
  } catch {
    // Text that is not JSON was not written by us, so this is not one of our sales.
    return written
  }
}
