// What a price or a purchase means for this visitor.
import type { Site } from './site.ts'
import type { Price, Purchase } from './structure.ts'

/** The trial that the visitor would get: each user has one on a paywall. */
export const trialDays = ({ user }: Site, price: Price): number =>
  user?.purchases.some(({ trial_end }) => trial_end !== null) ? 0 : price.trial_days

export const isOver = ({ status }: Purchase): boolean => status === 'canceled' || status === 'refunded'

const isSubscription = ({ interval }: Price | Purchase) => interval !== null

const ownPurchases = ({ user }: Site): Purchase[] => user?.purchases.filter((purchase) => !isOver(purchase)) ?? []

/** Whether the visitor may buy a price, has it, or has another subscription, beside which a second one is not sold. */
export function availability(site: Site, price: Price): 'available' | 'owned' | 'second subscription' {
  const own = ownPurchases(site)
  if (!price.access) return 'available' // a pack
  if (own.some(({ price_slug: slug }) => slug === price.slug)) return 'owned'
  return isSubscription(price) && own.some(isSubscription) ? 'second subscription' : 'available'
}

/** The visitor's subscriptions that end once this price is paid: all of them, if it is a one-time price that gives access. */
export const replacedBy = (site: Site, price: Price): Purchase[] =>
  price.access && !isSubscription(price) ? ownPurchases(site).filter(isSubscription) : []

/** The ids of all subscriptions that a purchase could end. A form repeats them, to show that its buyer has seen their names. */
export const replaceableIds = (site: Site): string =>
  ownPurchases(site)
    .filter(isSubscription)
    .map(({ id }) => id)
    .join(' ')
