// The plan of a subscription. Mollie knows an amount and an interval; what was changed, and what is scheduled, is in our metadata.
import type * as z from 'zod'
import { toDecimalText } from '../../money/money.ts'
import { type OrderReduction, UnexpectedReply } from '../processor.ts'
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
  Sale,
  type Subscription,
  type Terms,
} from './objects.ts'

type Scheduled = NonNullable<Renewal['scheduled']>

export interface Plan {
  /** What the current period is sold for, before an offer takes something off. */
  terms: Terms
  /** The reduction by an offer, kept after it has ended; null: none. */
  reduction: Reduction | null
  /** The change for the next charge; null if there is none, or its charge was made. */
  scheduled: Scheduled | null
  /** The new interval of a scheduled change that was charged but is not set yet at Mollie; null if there is none. */
  intervalToSet: string | null
}

/** `charges`: those of the subscription, latest first. */
export function readPlan(found: Subscription, charges: Payment[]): Plan {
  const overwritten = overwrittenTerms(found, charges)
  const subscription = overwritten ? { ...found, amount: toTotal(overwritten) } : found
  const terms = chargedTerms(subscription)
  const scheduled = findScheduled(subscription)
  if (!scheduled) return { ...readReduced(subscription, terms, charges), scheduled: null, intervalToSet: null }
  const hasBegun = charges.some(({ createdAt }) => amsterdamDate(createdAt) >= scheduled.at)
  if (!hasBegun) return { ...readReduced(subscription, scheduled.from, charges), scheduled, intervalToSet: null }
  const { interval } = scheduled.to
  return {
    terms: { ...terms, interval },
    reduction: null,
    scheduled: null,
    intervalToSet: interval === terms.interval ? null : interval,
  }
}

/** The plan of a subscription that was just sold. */
export const soldPlan = ({ renewal, quantity, interval, interval_count: count, reduction }: FirstSale): Plan => ({
  terms: { ...renewal, quantity, interval: intervalText(interval, count) },
  reduction: reduction ?? null,
  scheduled: null,
  intervalToSet: null,
})

/** The price to which terms are reduced by an offer. They are another price if the owner has changed the amount at Mollie since. */
function readReduced(subscription: Subscription, terms: Terms, charges: Payment[]): Pick<Plan, 'terms' | 'reduction'> {
  const renewal = requireRenewal(subscription)
  const { units } = renewal
  const reduction = withoutEnded(renewal, charges)
  const { value } = writeAmount(toTotal(terms))
  if (value === reduction?.price) return { terms, reduction }
  if (value !== reduction?.reduced) return { terms, reduction: null }
  return { terms: { ...terms, ...(units ?? { value: reduction.price, quantity: 1 }) }, reduction }
}

/**
 * The offer in our metadata, unless a scheduled change has ended it by a charge: both stay there. A scheduled change that the owner undid at
 * Mollie was never charged, and has ended nothing.
 */
export const withoutEnded = (
  { reduction, scheduled }: Pick<Renewal, 'reduction' | 'scheduled'>,
  charges: Payment[],
): Reduction | undefined =>
  scheduled &&
  charges.some(
    ({ createdAt, amount }) => amsterdamDate(createdAt) >= scheduled.at && isSameAmount(amount, toTotal(scheduled.to)),
  )
    ? undefined
    : reduction

/**
 * What a change of plan set, if a read that ended an offer at the same time has overwritten its amount; null otherwise. Such a read sets the
 * price of the offer, and only in the period of the last reduced charge. If the owner sets the same amount at Mollie in that period, after a
 * change, it looks the same, and the change counts.
 */
export function overwrittenTerms(subscription: Subscription, charges: Payment[]): Terms | null {
  const [latest] = charges
  const reduction = latest && readRenewal(latest.metadata)?.reduction
  if (!reduction || isReducedAfter(reduction, charges)) return null
  const [paid, next] = [latest, subscription].map(({ amount }) => writeAmount(amount).value)
  if (paid !== reduction.reduced || next !== reduction.price) return null
  const terms = termsChangedAfter(latest, subscription)
  return terms && !isSameAmount(toTotal(terms), subscription.amount) ? terms : null
}

/** What the change of plan in the period of a charge, the latest, set for the next one; null if there was none. */
function termsChangedAfter({ createdAt }: Payment, subscription: Subscription): Terms | null {
  const { scheduled, changed } = requireRenewal(subscription)
  if (scheduled && scheduled.at > amsterdamDate(createdAt))
    return { ...scheduled.to, interval: scheduled.from.interval }
  return changed && changed.at >= createdAt ? changed.to : null
}

/** What the charge after these costs, unless a change is scheduled. */
export const nextTerms = ({ terms, reduction }: Plan, charges: Payment[]): Terms =>
  reduction && isReducedAfter(reduction, charges) ? reducedTerms(terms, reduction) : terms

/** Mollie's amount is that of all units. */
export const reducedTerms = (terms: Terms, { reduced }: Reduction): Terms => ({ ...terms, value: reduced, quantity: 1 })

/** What an order takes off the price of all units, as Mollie writes it. */
export const reductionFor = (
  { amount, currency }: Payment['amount'],
  { takenOff, periods }: OrderReduction,
): Reduction => ({
  price: writeAmount({ currency, amount }).value,
  reduced: writeAmount({ currency, amount: amount - takenOff }).value,
  ...(periods !== undefined && { periods }),
})

/** Whether the charge after these is reduced. A failed charge counts, because its period has passed. */
export const isReducedAfter = (reduction: Reduction, charges: Payment[]): boolean => {
  const { periods = 1 } = reduction
  return periods === 'forever' || countPeriods(reduction, charges) < periods
}

/**
 * The first payment has paid for the first period, or for a trial, unless the subscription was reduced later: then its charges have that in
 * their metadata.
 */
const countPeriods = ({ use, after_trial: isAfterTrial }: Reduction, charges: Payment[]): number =>
  use === undefined
    ? charges.length + (isAfterTrial ? 0 : 1)
    : charges.filter(({ metadata }) => readRenewal(metadata)?.reduction?.use === use).length

/** Whether a payment is what its offer has left of the plan's price. The plan may have another offer by now. */
export function isReducedPayment({ terms }: Plan, { amount, metadata }: Payment): boolean {
  const reduction = Sale.safeParse(metadata).data?.reduction
  const price = toTotal(terms)
  return (
    reduction?.price === writeAmount(price).value &&
    reduction.reduced === writeAmount(amount).value &&
    amount.currency === price.currency
  )
}

/** Whether a payment pays for a period of the plan. */
export const coversPlan = (plan: Plan, payment: Payment): boolean =>
  isSameAmount(payment.amount, toTotal(plan.terms)) || isReducedPayment(plan, payment)

export const isSameAmount = (one: Payment['amount'], other: Payment['amount']) =>
  one.amount === other.amount && one.currency === other.currency

/** Our metadata for a subscription that gets another plan: without what was known of its plan. */
export function withoutPlan(subscription: Subscription): Renewal {
  const { scheduled: _, reduction: _reduction, units: _units, ...renewal } = requireRenewal(subscription)
  return renewal
}

/** How several units are noted in the metadata. */
export const toUnits = ({ value, quantity }: Terms): Pick<Renewal, 'units'> =>
  quantity > 1 ? { units: { value, quantity } } : {}

/** What Mollie charges next. */
export function chargedTerms({ amount: { amount, currency }, interval, metadata }: Subscription): Terms {
  const units = readRenewal(metadata)?.units
  const several = units && { currency, ...units, interval }
  if (several && toTotal(several).amount === amount) return several
  return { currency, value: toDecimalText(amount, currency), interval, quantity: 1 }
}

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

/** The price of one unit in minor units. */
export const toUnitAmount = ({ currency, value }: UnitPrice): number => parse(Amount, { currency, value }).amount

/** What is charged for all units. */
export const toTotal = ({ quantity, ...unit }: UnitPrice & { quantity: number }): Payment['amount'] => ({
  currency: unit.currency,
  amount: toUnitAmount(unit) * quantity,
})

type UnitPrice = Pick<Terms, 'currency' | 'value'>

/** An amount as Mollie writes it. */
export const writeAmount = ({ currency, amount }: Payment['amount']) => ({
  currency,
  value: toDecimalText(amount, currency),
})

export const isSameTerms = (one: Terms, other: Terms) =>
  one.value === other.value &&
  one.quantity === other.quantity &&
  one.currency === other.currency &&
  one.interval === other.interval

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
  units,
  ...sale
}: Renewal): z.input<typeof Renewal> {
  return {
    ...sale,
    ...(units && { units }),
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
