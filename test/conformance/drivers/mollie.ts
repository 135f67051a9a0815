import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { AccountRecords } from '../../../dev/emulators/core/acts/account-records.ts'
import type { PaymentRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { SoldPrice, SubscriptionRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import { DAY_SECONDS, nextPeriodEnd } from '../../../dev/emulators/core/periods.ts'
import { findSubscription, isPending } from '../../../dev/emulators/mollie/acts.ts'
import { parseInterval } from '../../../dev/emulators/mollie/dates.ts'
import { paymentOwn, subscriptionOwn } from '../../../dev/emulators/mollie/own.ts'
import type { Driver } from './driver.ts'
import { isGivenBack, oneTimeSale, type PaidPeriod, type Plan, paidAt, type Sale } from './sale.ts'

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
  accountReader: (_, { records, now }) => ({
    sales: () =>
      firstPayments(records)
        .filter(isSold)
        .map((page) => getSale(records, page, now())),
    pages: () =>
      firstPayments(records).map((page) => ({
        checkoutId: PageMetadata.parse(paymentOwn(page).metadata).checkout_id,
        isPaid: isSold(page),
      })),
    pageLocale: (url) =>
      records('payments').flatMap((page) => (url.includes(page.id) ? [paymentOwn(page).locale] : []))[0] ?? null,
  }),
}

/** Payments with a page that sells something: neither the charges of subscriptions nor the differences of changed plans. */
const firstPayments = (records: AccountRecords) =>
  records('payments').filter(
    (payment) => paymentOwn(payment).sequenceType !== 'recurring' && readDifference(payment) === null,
  )

const Terms = z.object({
  currency: z.string(),
  value: z.string(),
  interval: z.string(),
  quantity: z.int().default(1),
})
type Terms = z.output<typeof Terms>
const Difference = z.object({ first_payment: z.string(), change: z.object({ to: Terms }) })
const Scheduled = z.object({ scheduled: z.object({ at: z.iso.date(), from: Terms, to: Terms }) })

const FirstSale = z.object({ renewal: z.object({ value: z.string() }), quantity: z.int().default(1) })
const Renewal = z.object({
  reduction: z.object({ price: z.string(), reduced: z.string() }).optional(),
  units: z.object({ value: z.string(), quantity: z.int() }).optional(),
})

/** The change of plan that a payment pays for; null if it is another payment. */
const readDifference = (payment: PaymentRecord) => Difference.safeParse(paymentOwn(payment).metadata).data ?? null

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
  const differences = records('payments').filter(
    (each) => each.status === 'paid' && readDifference(each)?.first_payment === page.id,
  )
  const periods = [
    ...(PageMetadata.parse(paymentOwn(page).metadata).trial_days > 0 ? [] : [firstPeriod(records, page)]),
    ...chargedPeriods(records, paid),
  ]
  const paidPeriods = withChanges(records, periods, differences)
  const isSuspended = subscription?.status === 'suspended'
  const renews = subscription?.status === 'active' || isSuspended
  const metadata = PageMetadata.parse(paymentOwn(page).metadata)
  return {
    ...once,
    isSubscription: true,
    hadTrial: metadata.trial_days > 0,
    renews,
    paid: [...once.paid, ...paid.map(({ id }) => id), ...differences.map(({ id }) => id)],
    paidPeriods,
    ...(subscription ? plans(subscription, charges) : { plan: null, scheduled: null }),
    status: getStatus(records, { page, metadata, subscription, charges, paidPeriods, renews, now }),
    // A period lasts until the day of the next charge. A suspended subscription has none.
    periodEnd: renews && !isSuspended ? toDate(subscription.periodEnd) : null,
  }
}

type Metadata = z.output<typeof PageMetadata>

/** The period that a first payment paid for, in whole days as always at Mollie. With a trial it only creates a mandate. */
function firstPeriod(records: AccountRecords, page: PaymentRecord): PaidPeriod {
  const { interval, interval_count: intervalCount } = PageMetadata.parse(paymentOwn(page).metadata)
  const start = startOfDay(paidAt(page))
  return paidPeriod(records, page, { start, end: nextPeriodEnd(start, { interval, intervalCount }, start) })
}

/**
 * The periods of the paid charges. Each lasts until the day of the next charge, paid or not, as that was due when it was made: a later
 * change of plan has no effect on it. The first charge after a scheduled change pays for the new interval, although that is set after it.
 */
const chargedPeriods = (records: AccountRecords, paid: PaymentRecord[]) =>
  paid.map((charge) => {
    const start = startOfDay(charge.created)
    const { scheduled } = Scheduled.safeParse(paymentOwn(charge).metadata).data ?? {}
    const isChanged = scheduled && toDate(charge.created) >= scheduled.at && toTotal(scheduled.to) === charge.amount
    const end = isChanged ? periodEnd(start, scheduled.to) : startOfDay(paymentOwn(charge).paidUntil ?? charge.created)
    return paidPeriod(records, charge, { start, end })
  })

/** The same with the periods of differences that have changed a plan: those that were not returned. */
function withChanges(records: AccountRecords, periods: PaidPeriod[], differences: PaymentRecord[]): PaidPeriod[] {
  const changes = differences
    .filter((difference) => !isGivenBack(records, difference, true))
    .flatMap((difference) => {
      const changed = periods.findLast(({ start }) => start <= difference.created)
      const { to } = readDifference(difference)!.change
      if (!changed) return []
      const end = periodEnd(changed.start, to)
      const interval = end - changed.start > LONGEST_MONTH_SECONDS ? ('year' as const) : ('month' as const)
      const rest = { start: changed.start, end, interval, paidAt: paidAt(difference) }
      return [{ ...rest, unitAmount: toMinor(to), quantity: to.quantity, isGivenBack: false }]
    })
  return [...periods, ...changes].toSorted((one, other) => one.paidAt - other.paidAt)
}

const toMinor = ({ value }: Pick<Terms, 'value'>) => Number(value.replace('.', ''))

const toTotal = (terms: Terms) => toMinor(terms) * terms.quantity

const periodEnd = (start: number, { interval }: Terms) =>
  nextPeriodEnd(start, parseInterval(interval) ?? { interval: null, intervalCount: null }, start)

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
  ...toUnits(payment.amount, paymentOwn(payment).metadata),
  isGivenBack: isGivenBack(records, payment, true),
})

const AMSTERDAM = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Amsterdam' })

/** Mollie's days are those of Amsterdam. */
const toDate = (seconds: number) => AMSTERDAM.format(seconds * 1000)

const startOfDay = (seconds: number) => Date.parse(toDate(seconds)) / 1000

/**
 * What the current period is sold for, before an offer is taken off, and what a scheduled change leads to: its amount is set before the
 * charge that it is for.
 */
function plans(subscription: SubscriptionRecord, charges: PaymentRecord[]): Pick<Sale, 'plan' | 'scheduled'> {
  const { price } = subscription
  const { metadata } = subscriptionOwn(subscription)
  const toPlan = ({ unitAmount: amount, quantity }: Units, cycle = {}): Plan => ({
    price: soldPrice({ ...price, ...cycle, amount }),
    quantity,
  })
  const { scheduled } = Scheduled.safeParse(metadata).data ?? {}
  const hasBegun = !scheduled || charges.some(({ created }) => toDate(created) >= scheduled.at)
  if (hasBegun || toTotal(scheduled.to) !== price.amount)
    return { plan: toPlan(toUnits(price.amount, metadata)), scheduled: null }
  const ofTerms = (terms: Terms) =>
    toPlan({ unitAmount: toMinor(terms), quantity: terms.quantity }, parseInterval(terms.interval) ?? {})
  return { plan: ofTerms(scheduled.from), scheduled: ofTerms(scheduled.to) }
}

type Units = Pick<PaidPeriod, 'unitAmount' | 'quantity'>

/** The price of one unit before an offer is taken off, and how many units an amount is charged for; one unit if the owner has set it. */
function toUnits(amount: number, metadata: unknown): Units {
  const first = FirstSale.safeParse(metadata).data
  const { reduction, units = first && { ...first.renewal, quantity: first.quantity } } =
    Renewal.safeParse(metadata).data ?? {}
  const isReduced = reduction && toMinor({ value: reduction.reduced }) === amount
  const whole = isReduced ? toMinor({ value: reduction.price }) : amount
  const isOfUnits = units && toMinor(units) * units.quantity === whole
  return isOfUnits ? { unitAmount: toMinor(units), quantity: units.quantity } : { unitAmount: whole, quantity: 1 }
}

/** Mollie has no years and no ids of prices: see `prices` of the driver. */
function soldPrice(price: SoldPrice): SoldPrice {
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
  paidPeriods: PaidPeriod[]
  renews: boolean
  now: number
}

function getStatus(records: AccountRecords, recurring: Recurring): Sale['status'] {
  const { page, metadata, subscription, charges, renews, now } = recurring
  if (!subscription && (isGivenBack(records, page, true) || endOfFirst(page, metadata) <= now)) return 'canceled'
  const isFailed = (charge: PaymentRecord) => charge.status === 'failed' || isChargedBack(records, charge)
  if (subscription && !renews && endOfPaid({ ...recurring, subscription }, isFailed) <= now) return 'canceled'
  const decided = charges.findLast(({ status }) => status !== 'pending')
  if (renews && decided && isFailed(decided)) return 'past_due'
  return metadata.trial_days > 0 && !charges.some((each) => each.status === 'paid' && !isFailed(each))
    ? 'trialing'
    : 'active'
}

/**
 * A first payment has paid for one period or begun a trial. Both end at the start of the day on which a subscription would be charged first:
 * the day after the period or the trial.
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

/**
 * A failed charge paid for nothing: the paid time ends at the start of the day of the first failed charge after the last paid one. Without
 * one it ends with what was paid for, even if a plan was changed at Mollie since.
 */
function endOfPaid(
  { page, metadata, subscription, charges, paidPeriods }: Recurring & { subscription: SubscriptionRecord },
  isFailed: (charge: PaymentRecord) => boolean,
): number {
  const last = charges.findLastIndex((charge) => !isFailed(charge))
  const failed = charges[last + 1]
  if (failed) return startOfDay(failed.created)
  const paid = paidPeriods.at(-1)
  if (paid?.paidAt === paidAt(page)) return endOfFirst(page, metadata)
  return startOfDay(paid?.end ?? subscription.periodEnd)
}
