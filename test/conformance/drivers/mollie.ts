import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { AccountRecords } from '../../../dev/emulators/core/acts/account-records.ts'
import type { PaymentRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { SoldPrice, SubscriptionRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import { DAY_SECONDS, nextPeriodEnd } from '../../../dev/emulators/core/periods.ts'
import { findSubscription, isPending } from '../../../dev/emulators/mollie/acts.ts'
import { toDate } from '../../../dev/emulators/mollie/dates.ts'
import { paymentOwn } from '../../../dev/emulators/mollie/own.ts'
import type { Driver } from './driver.ts'
import { isGivenBack, oneTimeSale, type PaidPeriod, paidAt, type Sale } from './sale.ts'

const PageMetadata = z.looseObject({
  checkout_id: z.string(),
  trial_days: z.int().default(0),
  interval: z.enum(['day', 'week', 'month', 'year']).nullable().default(null),
  interval_count: z.int().nullable().default(null),
})

export const MOLLIE: Driver<'mollie'> = {
  prices: {
    monthly: 'Monthly',
    plus: 'Plus',
    yearly: 'Yearly',
    lifetime: 'For ever',
    pack: '50 tokens',
    local: 'Monthly, in euros',
  },
  sign: ({ body }, { webhookSecret }) => ({
    'x-mollie-signature': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
  }),
  otherScheme: ({ 'x-mollie-signature': signature = '' }) => ({
    'x-mollie-signature': signature.replace('sha256=', 'sha1='),
  }),
  namesPurchases: false,
  readsMayBeStale: false,
  newValues: { method: 'telepathy', mode: 'whim' },
  opensPage: /^\/v2\/(payments|customers)$/,
  refusesEmail: {
    path: '/v2/customers',
    status: 422,
    body: { status: 422, title: 'Unprocessable Entity', detail: 'The email address is invalid', field: 'email' },
  },
  sold: (_, { records, now }) => ({
    sales: () =>
      firstPayments(records)
        .filter(isSold)
        .map((page) => getSale(records, page, now())),
    pages: () =>
      firstPayments(records).map((page) => ({
        checkoutId: PageMetadata.parse(paymentOwn(page).metadata).checkout_id,
        isPaid: isSold(page),
      })),
  }),
}

/** Payments with a page: all except the charges of subscriptions. */
const firstPayments = (records: AccountRecords) =>
  records('payments').filter((payment) => paymentOwn(payment).sequenceType !== 'recurring')

/** Failed, cancelled and expired payments sold nothing. */
const isSold = (payment: PaymentRecord) => payment.status === 'paid' || isPending(payment)

/** A purchase is identified by its first payment. Mollie ends a cancelled subscription immediately; the buyer's period continues. */
function getSale(records: AccountRecords, page: PaymentRecord, now: number): Sale {
  const once = oneTimeSale(records, page, { refundsWhenDisputed: true })
  if (paymentOwn(page).sequenceType === 'oneoff') return once
  if (!once.begun) return { ...once, isSubscription: true }
  const subscription = findSubscription(records, page.id)
  const charges = records('payments').filter((each) => each.subscription === (subscription?.id ?? ''))
  const paid = charges.filter(({ status }) => status === 'paid')
  const isSuspended = subscription?.status === 'suspended'
  const renews = subscription?.status === 'active' || isSuspended
  const metadata = PageMetadata.parse(paymentOwn(page).metadata)
  return {
    ...once,
    isSubscription: true,
    hadTrial: metadata.trial_days > 0,
    renews,
    paid: [...once.paid, ...paid.map(({ id }) => id)],
    paidPeriods: [
      ...(metadata.trial_days > 0 ? [] : [firstPeriod(records, page, metadata)]),
      ...(subscription ? chargedPeriods(records, subscription, charges) : []),
    ],
    price: subscription ? chargedPrice(subscription) : null,
    scheduled: null,
    status: getStatus(records, { page, metadata, subscription, charges, renews, now }),
    // A period lasts until the day of the next charge. A suspended subscription has none.
    periodEnd: renews && !isSuspended ? toDate(subscription.periodEnd) : null,
  }
}

type Metadata = z.output<typeof PageMetadata>

/** The period that a first payment paid for, in whole days as always at Mollie. With a trial it only creates a mandate. */
function firstPeriod(records: AccountRecords, page: PaymentRecord, metadata: Metadata): PaidPeriod {
  const start = startOfDay(paidAt(page))
  const end = nextPeriodEnd(start, { interval: metadata.interval, intervalCount: metadata.interval_count }, start)
  return paidPeriod(records, page, { start, end })
}

/** The periods of the paid charges. Each lasts until the day of the next charge, paid or not: a later change of plan has no effect on it. */
const chargedPeriods = (records: AccountRecords, { periodEnd }: SubscriptionRecord, charges: PaymentRecord[]) =>
  charges.flatMap((charge, place) => {
    const [start, end] = [charge.created, charges[place + 1]?.created ?? periodEnd].map(startOfDay)
    return charge.status === 'paid' ? [paidPeriod(records, charge, { start: start!, end: end! })] : []
  })

const LONGEST_MONTH_SECONDS = 31 * DAY_SECONDS

const paidPeriod = (
  records: AccountRecords,
  payment: PaymentRecord,
  { start, end }: Pick<PaidPeriod, 'start' | 'end'>,
): PaidPeriod => ({
  start,
  end,
  paidAt: paidAt(payment),
  interval: end - start > LONGEST_MONTH_SECONDS ? 'year' : 'month',
  unitAmount: payment.amount,
  isGivenBack: isGivenBack(records, payment, true),
})

const startOfDay = (seconds: number) => Date.parse(toDate(seconds)) / 1000

/** The price of a subscription's next charge. Mollie has no years and no ids of prices: see `prices`. */
function chargedPrice({ price }: SubscriptionRecord): SoldPrice {
  const isYearly = price.interval === 'month' && price.intervalCount === 12
  return isYearly
    ? { ...price, id: MOLLIE.prices.yearly, interval: 'year', intervalCount: 1 }
    : { ...price, id: MOLLIE.prices.monthly }
}

interface Recurring {
  page: PaymentRecord
  metadata: Metadata
  subscription: SubscriptionRecord | undefined
  charges: PaymentRecord[]
  renews: boolean
  now: number
}

function getStatus(
  records: AccountRecords,
  { page, metadata, subscription, charges, renews, now }: Recurring,
): Sale['status'] {
  if (!subscription && (isGivenBack(records, page, true) || endOfFirst(page, metadata) <= now)) return 'canceled'
  const isFailed = (charge: PaymentRecord) => charge.status === 'failed' || isChargedBack(records, charge)
  if (subscription && !renews && endOfPaid(subscription, charges, isFailed) <= now) return 'canceled'
  const decided = charges.findLast(({ status }) => status !== 'pending')
  if (renews && decided && isFailed(decided)) return 'past_due'
  return metadata.trial_days > 0 && !charges.some((each) => each.status === 'paid' && !isFailed(each))
    ? 'trialing'
    : 'active'
}

/**
 * A first payment without a subscription has paid for one period or begun a trial. Both end at the start of the day on which a
 * subscription would have been charged first: the day after the period or the trial.
 */
function endOfFirst(page: PaymentRecord, { trial_days, interval, interval_count }: Metadata): number {
  const start = paidAt(page)
  const cycle =
    trial_days > 0
      ? ({ interval: 'day', intervalCount: trial_days } as const)
      : { interval, intervalCount: interval_count }
  const end = nextPeriodEnd(start, cycle, start)
  return Date.parse(toDate(end)) / 1000 + DAY_SECONDS
}

/** A direct debit may be settled, and charged back days later: then it has failed. */
const isChargedBack = (records: AccountRecords, { id }: PaymentRecord) =>
  records('disputes').some(({ payment, status }) => payment === id && status !== 'won')

/** A failed charge paid for nothing: the paid time ends at the start of the day of the first failed charge after the last paid one. */
function endOfPaid(
  { periodEnd }: SubscriptionRecord,
  charges: PaymentRecord[],
  isFailed: (charge: PaymentRecord) => boolean,
): number {
  const last = charges.findLastIndex((charge) => !isFailed(charge))
  return Date.parse(toDate(charges[last + 1]?.created ?? periodEnd)) / 1000
}
