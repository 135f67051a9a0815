// Which prices this visitor has, may buy, or may change a subscription to.
import { toMinorUnits } from '../../lib/money/money.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { Site } from './site.ts'
import type { Price, Purchase } from './structure.ts'

/** The trial that the visitor would get: each user has one on a paywall. */
export const trialDays = ({ user }: Site, price: Price): number =>
  user?.purchases.some(({ trial_end }) => trial_end !== null) ? 0 : price.trial_days

export const isOver = ({ status }: Purchase): boolean => status === 'canceled' || status === 'refunded'

const isSubscription = ({ interval }: Price | Purchase) => interval !== null

const ownPurchases = ({ user }: Site): Purchase[] => user?.purchases.filter((purchase) => !isOver(purchase)) ?? []

/**
 * Whether the visitor may buy a price, has it, will have it by a change that is scheduled, or may change a subscription to it.
 * `second subscription`: the visitor has a subscription that cannot be changed, and is not sold a second one.
 */
export function availability(
  site: Site,
  price: Price,
): 'available' | 'owned' | 'scheduled' | 'change' | 'second subscription' {
  const own = ownPurchases(site)
  if (!price.access) return 'available' // a pack
  if (own.some(({ price_slug: slug }) => slug === price.slug)) return 'owned'
  if (scheduledChange(site, price)) return 'scheduled'
  if (!isSubscription(price) || !own.some(isSubscription)) return 'available'
  return changeableTo(site, price) ? 'change' : 'second subscription'
}

/**
 * The visitor's subscription if its plan can be changed. It charges the stored payment method, so an anonymous visitor, who is known by a
 * cookie only, has to sign in first.
 */
export function changeable(site: Site): Purchase | undefined {
  const [subscription, ...others] = ownPurchases(site).filter(isSubscription)
  if (!subscription || others.length > 0 || !site.user?.email) return undefined
  const { status, acquiring, cancel_at_period_end: isCancelled } = subscription
  const { changesPlan } = DEFINITIONS[acquiring].capabilities
  const mayChange = changesPlan === 'always' || (changesPlan === 'unless cancelled' && !isCancelled)
  const isCurrent = status === 'active' || status === 'trialing'
  return mayChange && isCurrent && !isBeingReplaced(site, subscription) ? subscription : undefined
}

/**
 * The same, for a change to one price. A price that is not higher waits for the end of the period, which is not offered where the processor
 * changes plans at once only.
 */
export function changeableTo(site: Site, price: Price): Purchase | undefined {
  const subscription = changeable(site)
  if (!subscription) return undefined
  const { schedulesPlanChange } = DEFINITIONS[subscription.acquiring].capabilities
  return schedulesPlanChange || isUpgrade(subscription, price) ? subscription : undefined
}

/**
 * Whether a price is higher per day than what a subscription is charged, with its quantity if that is kept. change-plan decides that in the
 * same way.
 */
function isUpgrade(subscription: Purchase, price: Price): boolean {
  const { currency, unit_amount: charged, quantity } = subscription
  const offered = [price.local, price].find((each) => each?.currency === currency)
  return (
    offered !== undefined &&
    (toMinorUnits(offered.amount, currency) * (price.per_unit ? quantity : 1)) / countDays(price) >
      (charged * quantity) / countDays(subscription)
  )
}

/** The average length of each interval in days. */
const DAYS = { day: 1, week: 7, month: 365.25 / 12, year: 365.25 }

const countDays = ({ interval, interval_count: count }: Pick<Price, 'interval' | 'interval_count'>) =>
  interval === null ? Number.POSITIVE_INFINITY : DAYS[interval] * (count ?? 1)

/** The scheduled change to a price; undefined if there is none. */
export const scheduledChange = (site: Site, { slug }: Price): Purchase['scheduled_change'] | undefined =>
  ownPurchases(site).find(({ scheduled_change: change }) => change?.price_slug === slug)?.scheduled_change

/** Whether a newer purchase replaces it and its processor has not confirmed that yet. */
export const isBeingReplaced = ({ user }: Site, { id }: Purchase): boolean => user?.being_replaced.includes(id) ?? false

/** The visitor's subscriptions that end once this price is paid: all of them, if it is a one-time price that gives access. */
export const findEndedSubscriptions = (site: Site, price: Price): Purchase[] =>
  price.access && !isSubscription(price) ? ownPurchases(site).filter(isSubscription) : []

/** The ids of all subscriptions that a purchase could end. A form repeats them, to show that its buyer has seen their names. */
export const replaceableIds = (site: Site): string =>
  ownPurchases(site)
    .filter(isSubscription)
    .map(({ id }) => id)
    .join(' ')
