import { getDriver } from '../../conformance/drivers/drivers.ts'
import type { Plan, Sale } from '../../conformance/drivers/sale.ts'
import { isUnmatched } from '../paywalls.ts'
import type { Company, Order } from '../person.ts'
import { type Case, DAY_SECONDS, findOrder, type Invariant, type StoredPurchase } from './case.ts'

const hasBegun = ({ begun }: Sale) => begun

/** Each sale at the processor is a purchase here, and vice versa. A second trial is ended instead: docs/decisions/0016-one-trial.md. */
export const SAME_PURCHASES: Invariant = {
  name: 'same purchases',
  faults: ({ company, purchases, processorState: { sales } }) => [
    ...sales
      .filter((sale) => hasBegun(sale) && !purchases.some(({ processorId }) => processorId === sale.processorId))
      .filter((sale) => !isSecondTrial(company, sales, sale))
      .map(({ processorId, status }) => `${processorId} is ${status} there and not here`),
    ...purchases
      .filter(({ status }) => status !== 'canceled')
      .filter((purchase) => !sales.some(({ processorId }) => processorId === purchase.processorId))
      .map(({ processorId, status }) => `${processorId} is ${status} here and not there`),
  ],
}

/** Whether a trial ends before a period is paid for, and its user has had another trial, perhaps before a merge. */
function isSecondTrial(
  { people }: Company,
  sales: Sale[],
  { processorId, hadTrial, renews, paidPeriods }: Sale,
): boolean {
  if (!hadTrial || renews || paidPeriods.length > 0) return false
  const buyer = people.find(({ bought }) => bought.has(processorId))
  const bought = people.filter(({ userId }) => userId === buyer?.userId).flatMap((person) => [...person.bought])
  return sales.some((each) => each.hadTrial && each.processorId !== processorId && bought.includes(each.processorId))
}

/** A user's purchase on a paywall is shown there, and on no other that shares its account. */
export const SOLD_BY_PAYWALL: Invariant = {
  name: 'sold by its paywall',
  faults: ({ company: { people }, purchases }) =>
    people.flatMap(({ world: { paywall }, bought }) =>
      purchases
        .filter(({ processorId, member }) => bought.has(processorId) && member.world.paywall.id !== paywall.id)
        .map(({ processorId, member }) => `${processorId}, sold by ${paywall.id}, is on ${member.world.paywall.id}`),
    ),
}

/** The state of a purchase is the state of its sale at the processor. */
export const STATE: Invariant = {
  name: 'state',
  faults: (life) =>
    life.processorState.sales.flatMap((sale) => {
      const purchase = life.purchases.find(({ processorId }) => processorId === sale.processorId)
      if (!purchase || isFoundLater(life, sale) || isRefusedTrial(life, sale, purchase)) return []
      return differences(sale, purchase)
    }),
}

/** Whether a sale was pending here and became a second trial. It has ended here; a processor may show it until it would be charged. */
const isRefusedTrial = ({ company, processorState: { sales } }: Case, sale: Sale, { status }: StoredPurchase) =>
  status === 'canceled' && sale.status === 'trialing' && isSecondTrial(company, sales, sale)

/** The longest time that a refund may take. */
const REFUND_DAYS = 7

/**
 * Whether the service may not have found yet what no webhook reported. For a subscription: the charges of the last day, since a past due
 * one is polled daily. For a one-time purchase: refunds and disputes, since it is polled a day after the sale and then whenever its age
 * has doubled.
 */
function isFoundLater({ company: { records, lastActAt }, known, now }: Case, { isSubscription, paid }: Sale): boolean {
  if (known.everything) return false
  const age = (since: number, at = now) => at.getTime() / 1000 - since
  if (isSubscription) return records('attempts').some(({ created }) => age(created) < DAY_SECONDS)
  const sold = records('payments').find(({ id }) => id === paid[0])?.created
  if (sold === undefined || !lastActAt) return false
  return age(sold) < 2 * (age(sold, lastActAt) + REFUND_DAYS * DAY_SECONDS) + DAY_SECONDS
}

function differences(sale: Sale, purchase: StoredPurchase): string[] {
  const { processorId: id, status, renews, periodEnd } = sale
  if (purchase.status !== status) return [`${id} is ${purchase.status} here and ${status} there`]
  if (!sale.isSubscription || !sale.begun || status === 'canceled') return []
  const ends = purchase.current_period_end ?? ''
  return [
    ...(purchase.cancel_at_period_end === renews ? [`${id} ${renews ? 'renews' : 'ends'} there, and not here`] : []),
    ...(periodEnd !== null && !ends.startsWith(periodEnd)
      ? [`${id} is paid until ${ends} here and ${periodEnd} there`]
      : []),
  ]
}

/** An acknowledged cancellation is not lost. */
export const CANCELLED: Invariant = {
  name: 'cancelled',
  faults: ({ company: { people }, purchases }) =>
    purchases
      .filter(({ id }) => people.some(({ cancelled }) => cancelled.has(id)))
      .filter(({ status, cancel_at_period_end: ends }) => !ends && status !== 'canceled')
      .map(({ id }) => `the cancellation of ${id} was acknowledged and is gone`),
}

/** A subscription renews until its buyer, its processor or a bank ends it, or its buyer buys a replacement. */
export const ENDS_FOR_REASON: Invariant = {
  name: 'ends for a reason',
  faults: (life) =>
    life.processorState.sales.flatMap((sale) => {
      const purchase = life.purchases.find(({ processorId }) => processorId === sale.processorId)
      // A purchase that never began here is a second trial. Where we create the subscription, a failed call is repeated: once `isQuiet`, the subscription exists.
      if (!purchase || purchase.changes.length === 0 || sale.renews || !life.known.isQuiet) return []
      return isStopped(life, sale, purchase) || isReplaced(life, purchase)
        ? []
        : [`${sale.processorId} does not renew, and nobody wanted that`]
    }),
}

/** Whether anybody else ended a sale, or asked us to end it. A failed charge may be for any subscription of the life, so each counts. */
function isStopped(
  { company: { people, stoppedAtProcessor, records } }: Case,
  sale: Sale,
  { id }: StoredPurchase,
): boolean {
  const hasPayment = ({ payment }: { payment: string }) => sale.paid.includes(payment)
  return (
    stoppedAtProcessor.has(sale.processorId) ||
    people.some(({ cancelling }) => cancelling.has(id)) ||
    records('attempts').some(({ status }) => status === 'failed') ||
    [...records('refunds'), ...records('disputes')].some(hasPayment)
  )
}

/** Whether the buyer of a purchase has bought something else that was to replace existing subscriptions. */
const isReplaced = ({ company: { people }, purchases }: Case, { id, member }: StoredPurchase) =>
  purchases
    .filter((other) => other.id !== id && other.member === member && other.status !== 'pending')
    .some(({ url }) => people.some(({ orders }) => orders.get(url ?? '')?.replaces))

/** A purchase shows the price and the quantity that its page was opened to sell, or those that its plan was changed to. */
export const SOLD_AS_ORDERED: Invariant = {
  name: 'sold as ordered',
  faults: ({ company, purchases, processorState: { sales } }) =>
    purchases.flatMap(({ id, processorId, url, status, price_slug: slug, unit_amount: amount, currency, quantity }) => {
      const order = findOrder(company, { url })
      const changed = sales.find((sale) => sale.processorId === processorId)?.plan
      const due = changed ? chargedFor(company, changed) : order
      // A subscription that has ended may have had its first plan when it was last read.
      const shown = sold({ slug, amount, currency, quantity })
      const isRight = (one: SoldAs | undefined) => one && sold(one) === shown
      if (!due || isRight(due) || (status === 'canceled' && isRight(order))) return []
      return [`${id} is ${shown}, and is charged as ${sold(due)}`]
    }),
}

/** A subscription that renews shows the change of plan that is scheduled at the processor. */
export const SCHEDULED_AS_AT_PROCESSOR: Invariant = {
  name: 'scheduled change',
  faults: (life) =>
    life.processorState.sales.flatMap((sale) => {
      const purchase = life.purchases.find(({ processorId }) => processorId === sale.processorId)
      if (!purchase || !sale.renews || sale.status === 'canceled' || isFoundLater(life, sale)) return []
      // The day of a change may pass while a subscription is paused: the change is made when it resumes, and has no day until then.
      if (sale.status === 'paused' && sale.periodEnd !== null && Date.parse(sale.periodEnd) <= life.now.getTime())
        return []
      const named = ({ slug, quantity }: Pick<SoldAs, 'slug' | 'quantity'>) => `${quantity} of ${slug}`
      const there = sale.scheduled ? named(chargedFor(life.company, sale.scheduled)) : 'nothing'
      const { scheduled_change: change } = purchase
      const here = change ? named({ slug: change.price_slug, quantity: change.quantity }) : 'nothing'
      return here === there ? [] : [`${sale.processorId} changes to ${here} here and to ${there} there`]
    }),
}

/** What a purchase shows as its price; `slug` null: it is not in the paywall file. */
type SoldAs = Pick<Order, 'amount' | 'currency' | 'quantity'> & { slug: string | null }

const sold = ({ slug, amount, currency, quantity }: SoldAs) => `${quantity} of ${slug} for ${amount} ${currency}`

/** The price in the paywall file that refers to a price at the processor, if there is one. */
function chargedFor({ life: { processor } }: Company, { price, quantity }: Plan): SoldAs {
  const { id, interval, amount, currency } = price
  const { prices } = getDriver(processor)
  const slug = interval === 'year' ? 'yearly' : 'monthly'
  const isNamed = interval === 'year' ? id === prices.yearly : [prices.monthly, prices.local].includes(id)
  return { slug: isNamed && !isUnmatched(amount) ? slug : null, amount, currency: currency.toUpperCase(), quantity }
}
