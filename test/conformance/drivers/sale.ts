import { type AccountRecords, findPaid } from '../../../dev/emulators/core/acts/account-records.ts'
import type { InvoiceRecord, PaymentRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { SubscriptionRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'

/** A sale, read from what an emulator stores and not through our adapters, in the terms of the user endpoint. */
export interface Sale {
  /** The processor's id. */
  processorId: string
  isSubscription: boolean
  status: PurchaseStatus
  /** Whether its first payment was made, or its trial has begun. Sales that never began may be missing. */
  begun: boolean
  renews: boolean
  /** The end of the current period, as a prefix of an ISO time; null: none, or unknown. */
  periodEnd: string | null
  /** The periods charged for, without trials, oldest first. A one-time purchase has one period without an end. */
  paidPeriods: PaidPeriod[]
  /** The processor's price of the current plan, and how many units of it; null: what the page sold. */
  plan: Plan | null
  /** What a scheduled change of plan leads to; null if none is scheduled. */
  scheduled: Plan | null
  /** Whether it began with a trial. */
  hadTrial: boolean
  /** The ids of its successful payments. */
  paid: string[]
}

export type Plan = Pick<SubscriptionRecord, 'price' | 'quantity'>

/** A paid period. A change of plan that is charged immediately has its own. Times are Unix times in seconds. */
export interface PaidPeriod {
  start: number
  end: number
  paidAt: number
  /** The interval of the charged price; `once`: a one-time price. */
  interval: 'month' | 'year' | 'once'
  /** The price in minor units, before taxes and discounts. For a one-time sale and at Mollie: what was paid. */
  unitAmount: number
  quantity: number
  /** Whether it was fully refunded. */
  isGivenBack: boolean
}

const STATUSES: Partial<Record<SubscriptionRecord['status'], PurchaseStatus>> = {
  incomplete: 'pending',
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'paused',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
}

export const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString()

/** A subscription of a processor that charges by invoice, with `all` invoices of one purchase, oldest first. */
export function subscriptionSale(
  records: AccountRecords,
  subscription: SubscriptionRecord,
  all: SubscriptionRecord[] = [subscription],
): Sale {
  const { id, cancelAt, periodEnd, price, quantity } = subscription
  const status = STATUSES[subscription.status]
  if (!status) throw new Error(`unknown subscription status ${subscription.status}`)
  const ids = all.map((each) => each.id)
  const invoices = records('invoices').filter((each) => ids.includes(each.subscription))
  return {
    processorId: id,
    isSubscription: true,
    status,
    periodEnd: isoTime(periodEnd),
    begun: !subscription.status.startsWith('incomplete'),
    hadTrial: all.some(({ trialEnd }) => trialEnd !== null),
    renews: status !== 'canceled' && cancelAt === null,
    paidPeriods: invoices.filter(isPaidPeriod).map((each) => invoicedPeriod(records, each)),
    plan: { price, quantity },
    scheduled: subscription.scheduled,
    paid: ids.flatMap((each) => findPaid(records, each)).map((each) => each.id),
  }
}

/** The invoice of a trial charges nothing. */
const isPaidPeriod = ({ status, lines }: InvoiceRecord) => status === 'paid' && lines.some(({ amount }) => amount !== 0)

function invoicedPeriod(records: AccountRecords, invoice: InvoiceRecord): PaidPeriod {
  const { periodStart: start, periodEnd: end, paidAt, created } = invoice
  const payment = records('payments').find(({ id }) => id === invoice.payment)
  const interval = invoice.price.interval === 'year' ? 'year' : 'month'
  return {
    start,
    end,
    paidAt: paidAt ?? created,
    interval,
    unitAmount: invoice.price.amount,
    quantity: invoice.quantity,
    isGivenBack: !!payment && isGivenBack(records, payment, false),
  }
}

/** A one-time purchase. */
export function oneTimeSale(
  records: AccountRecords,
  payment: PaymentRecord,
  { processorId = payment.id, refundsWhenDisputed = false } = {},
): Sale {
  const begun = payment.status === 'paid'
  const isUndecided = payment.status === 'pending' || payment.status === 'open'
  const isOver = begun && isGivenBack(records, payment, refundsWhenDisputed)
  return {
    processorId,
    isSubscription: false,
    begun,
    hadTrial: false,
    renews: false,
    periodEnd: null,
    plan: null,
    scheduled: null,
    paidPeriods: begun
      ? [
          {
            start: payment.created,
            end: Infinity,
            paidAt: paidAt(payment),
            interval: 'once',
            unitAmount: payment.amount,
            quantity: payment.sold?.quantity ?? 1,
            isGivenBack: isOver,
          },
        ]
      : [],
    status: isOver ? 'refunded' : begun ? 'active' : isUndecided ? 'pending' : 'canceled',
    paid: begun ? [payment.id] : [],
  }
}

export const paidAt = ({ endedAt, created }: PaymentRecord) => endedAt ?? created

/** Whether a payment was fully refunded, including lost disputes. */
export function isGivenBack(records: AccountRecords, { id, amount }: PaymentRecord, byDisputes: boolean): boolean {
  const refunds = records('refunds').filter(({ payment, status }) => payment === id && status === 'refunded')
  const disputes = records('disputes').filter(
    ({ payment, status }) => payment === id && (status === 'lost' || (byDisputes && status !== 'won')),
  )
  return amount > 0 && [...refunds, ...disputes].reduce((sum, each) => sum + each.amount, 0) >= amount
}

/** The one-time payments of completed pages. */
export function oneTimePayments(records: AccountRecords): PaymentRecord[] {
  const sold = new Set(
    records('pages').map(({ status, mode, payment }) => status === 'complete' && mode === 'payment' && payment),
  )
  return records('payments').filter(({ id }) => sold.has(id))
}
