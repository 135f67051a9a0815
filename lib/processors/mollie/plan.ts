// The plan of a subscription. Mollie knows an amount and an interval; what was changed, and what is scheduled, is in our metadata.
import type * as z from 'zod'
import { toDecimalText } from '../../money/money.ts'
import { UnexpectedReply } from '../processor.ts'
import { parse } from './api.ts'
import { amsterdamDate, chargeAfter, dateText, firstChargeDate, intervalText, readInterval } from './dates.ts'
import {
  Amount,
  Difference,
  type FirstSale,
  isGivenBack,
  type Payment,
  type Reduction,
  type Renewal,
  readRenewal,
  type Subscription,
  type Terms,
} from './objects.ts'

type Scheduled = NonNullable<Renewal['scheduled']>

export interface Plan {
  /** What the current period is sold for, before an offer takes something off. */
  terms: Terms
  /** What an offer takes off these terms, also once that has ended; null: nothing. */
  reduction: Reduction | null
  /** The change for the next charge; null if there is none, or its charge was made. */
  scheduled: Scheduled | null
  /** The interval that a scheduled change leads to, whose charge was made; null if nothing is left to set. */
  intervalToSet: string | null
}

/** `charges`: those of the subscription, latest first. */
export function readPlan(subscription: Subscription, charges: Payment[]): Plan {
  const terms = chargedTerms(subscription)
  const scheduled = findScheduled(subscription)
  if (!scheduled) return { ...readReduced(subscription, terms), scheduled: null, intervalToSet: null }
  const hasBegun = charges.some(({ createdAt }) => amsterdamDate(createdAt) >= scheduled.at)
  if (!hasBegun) return { ...readReduced(subscription, scheduled.from), scheduled, intervalToSet: null }
  const { interval } = scheduled.to
  return {
    terms: { ...terms, interval },
    reduction: null,
    scheduled: null,
    intervalToSet: interval === terms.interval ? null : interval,
  }
}

/** The plan of a subscription that was just sold. */
export const soldPlan = ({ renewal, interval, interval_count: count, reduction }: FirstSale): Plan => ({
  terms: { ...renewal, interval: intervalText(interval, count) },
  reduction: reduction ?? null,
  scheduled: null,
  intervalToSet: null,
})

/** The price to which terms are reduced by an offer. They are another price if the owner has changed the amount at Mollie since. */
function readReduced(subscription: Subscription, terms: Terms): Pick<Plan, 'terms' | 'reduction'> {
  const { reduction } = requireRenewal(subscription)
  if (!reduction || (terms.value !== reduction.reduced && terms.value !== reduction.price)) {
    return { terms, reduction: null }
  }
  return { terms: { ...terms, value: reduction.price }, reduction }
}

/** What the charge after these costs, unless a change is scheduled. */
export const nextTerms = ({ terms, reduction }: Plan, charges: Payment[]): Terms =>
  reduction && isReducedAfter(reduction, charges) ? { ...terms, value: reduction.reduced } : terms

/** The first payment has paid for the first period. A failed charge counts, because its period has passed. */
const isReducedAfter = ({ periods = 1 }: Reduction, charges: Payment[]) =>
  periods === 'forever' || charges.length + 1 < periods

/** Whether an amount is what an offer leaves of the plan's price. */
export const isReducedAmount = ({ terms, reduction }: Plan, paid: Payment['amount']): boolean =>
  reduction !== null && isSameAmount(paid, toAmount({ ...terms, value: reduction.reduced }))

/** Whether an amount pays for a period of the plan. */
export const coversPlan = (plan: Plan, paid: Payment['amount']): boolean =>
  isSameAmount(paid, toAmount(plan.terms)) || isReducedAmount(plan, paid)

const isSameAmount = (one: Payment['amount'], other: Payment['amount']) =>
  one.amount === other.amount && one.currency === other.currency

/** Our metadata for a subscription that gets another plan: without what was known of its plan. */
export function withoutPlan(subscription: Subscription): Renewal {
  const { scheduled: _, reduction: _reduction, ...renewal } = requireRenewal(subscription)
  return renewal
}

/** What Mollie charges next. */
export const chargedTerms = ({ amount, interval }: Subscription): Terms => toTerms(amount, interval)

const toTerms = ({ amount, currency }: Payment['amount'], interval: string): Terms => ({
  currency,
  value: toDecimalText(amount, currency),
  interval,
})

/** How a change of the interval moves the charges of a subscription. All are absent if the interval stays the same. */
export interface Move {
  /** The date of the next charge. */
  next?: Date
  /** What the start date becomes: Mollie accepts another one until the first charge. */
  startDate?: Date
  /** The last charge, from which Mollie counts the new interval. */
  countsFrom?: Date
}

/** A period of another length begins where the current one began, and a trial stays as long as it was. `charges`: latest first. */
export function moveCharges(
  {
    payment,
    sale,
    subscription,
    charges: [latest],
  }: { payment: Payment; sale: FirstSale; subscription: Subscription; charges: Payment[] },
  from: Terms,
  to: Terms,
): Move {
  if (from.interval === to.interval) return {}
  const { interval, interval_count } = readInterval(to.interval, sale)
  if (latest) {
    const countsFrom = amsterdamDate(latest.createdAt)
    const rhythm = { startDate: countsFrom, interval, intervalCount: interval_count }
    return { countsFrom, next: chargeAfter(rhythm, countsFrom) }
  }
  const startDate =
    sale.trial_days > 0 ? subscription.startDate : firstChargeDate(payment, { ...sale, interval, interval_count })
  return { startDate, next: startDate }
}

/** The amount of terms in minor units. */
export const toAmount = ({ currency, value }: Terms): Payment['amount'] => parse(Amount, { currency, value })

export const isSameTerms = (one: Terms, other: Terms) =>
  one.value === other.value && one.currency === other.currency && one.interval === other.interval

/** Null if the owner has changed the plan at Mollie since. */
function findScheduled(subscription: Subscription): Scheduled | null {
  const { scheduled } = requireRenewal(subscription)
  if (!scheduled) return null
  const { from, to } = scheduled
  return isSameTerms(chargedTerms(subscription), { ...to, interval: from.interval }) ? scheduled : null
}

export function requireRenewal({ id, metadata }: Subscription): Renewal {
  const renewal = readRenewal(metadata)
  if (!renewal) throw new UnexpectedReply('mollie', `the metadata of ${id}`)
  return renewal
}

/** Our metadata in the form that is sent. Dates have no time of day. */
export function writeRenewal({
  scheduled,
  counted_from: from,
  changed,
  settled,
  ...sale
}: Renewal): z.input<typeof Renewal> {
  return {
    ...sale,
    ...(changed && { changed: { ...changed, at: changed.at.toISOString() } }),
    ...(scheduled && { scheduled: { ...scheduled, at: dateText(scheduled.at) } }),
    ...(settled && { settled: { ...settled, paid_at: settled.paid_at.toISOString() } }),
    ...(from && { counted_from: dateText(from) }),
  }
}

/** The change at once in the current period; null if there was none, or the plan was changed in another way since. */
export function changeInPeriod(
  subscription: Subscription,
  { terms }: Plan,
  periodStart: Date,
): NonNullable<Renewal['changed']> | null {
  const { changed } = requireRenewal(subscription)
  return changed && changed.at >= periodStart && isSameTerms(changed.to, terms) ? changed : null
}

/** The first paid difference that has not changed the plan yet, and was not given back. */
export function findUnsettled(subscription: Subscription, differences: Payment[]): Payment | null {
  const [first = null] = differences
    .filter((each) => each.status === 'paid' && !isGivenBack(each) && !isSettled(subscription, each))
    .toSorted((one, other) => compare(toPaid(one), toPaid(other)))
  return first
}

/** Whether a paid difference has changed the plan, or was paid before one that has. Ids break ties. */
export function isSettled(subscription: Subscription, difference: Payment): boolean {
  const { settled } = requireRenewal(subscription)
  return (
    settled !== undefined && compare(toPaid(difference), { at: settled.paid_at.getTime(), id: settled.payment }) <= 0
  )
}

interface Paid {
  at: number
  id: string
}

const toPaid = (payment: Payment): Paid => ({ at: paidAt(payment).getTime(), id: payment.id })

export const paidAt = ({ paidAt: at, createdAt }: Payment): Date => at ?? createdAt

const compare = (one: Paid, other: Paid) => one.at - other.at || (one.id < other.id ? -1 : Number(one.id > other.id))

/** What a difference pays for. */
export function readChange({ id, metadata }: Payment): z.output<typeof Difference>['change'] {
  const { data } = Difference.safeParse(metadata)
  if (!data) throw new UnexpectedReply('mollie', `the metadata of ${id}`)
  return data.change
}
