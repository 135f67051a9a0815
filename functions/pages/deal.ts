// What a price costs the visitor with the best of the offers that apply to it.
import { toMajorUnits, toMinorUnits } from '../../lib/money/money.ts'
import type { Offer } from '../../lib/paywall/offer.ts'
import { takenOff } from '../../lib/processors/discount.ts'
import { localAmount } from './formats.ts'
import { availability } from './sale.ts'
import type { Site } from './site.ts'
import type { Price, Purchase } from './structure.ts'
import { countUnits } from './units.ts'

/**
 * An offer of a price. `reduced` is what a period costs with it, or a one-time price, for all units that the visitor wants; in major units of
 * the price's currency.
 */
export interface Deal {
  offer: Offer
  reduced: number
}

/**
 * The offer at which a price is sold to the visitor; undefined if there is none. Of several it is the one that takes most off today; else the
 * visitor's code, and then the first of the paywall's file. A change of plan has no offers.
 */
export function dealFor(site: Site, price: Price): Deal | undefined {
  if (availability(site, price) !== 'available') return undefined
  const ofCode = site.code?.offer
  const { currency } = localAmount(price)
  const regular = { amount: toMinorUnits(regularAmount(site, price), currency), currency }
  return [...(ofCode ? [ofCode] : []), ...site.offers]
    .filter(({ prices }) => prices.includes(price.slug))
    .flatMap((offer) => toDeal(offer, regular) ?? [])
    .reduce<Deal | undefined>((best, deal) => (best && best.reduced <= deal.reduced ? best : deal), undefined)
}

/** Null if the offer takes nothing off an amount, or all of it. `amount` is in minor units. An amount is taken off its own currency only. */
function toDeal(offer: Offer, { amount, currency }: { amount: number; currency: string }): Deal | null {
  const { discount } = offer
  if (discount.amount !== undefined && discount.currency !== currency) return null
  const off = takenOff({ ...discount, ...inMinorUnits(discount) }, amount)
  return off > 0 && off < amount ? { offer, reduced: toMajorUnits(amount - off, currency) } : null
}

const inMinorUnits = ({ amount, currency }: Offer['discount']) =>
  amount === undefined || currency === undefined ? {} : { amount: toMinorUnits(amount, currency) }

/** What all units that the visitor wants cost without an offer: in major units. */
export function regularAmount(site: Site, price: Price): number {
  const { amount, currency } = localAmount(price)
  return toMajorUnits(toMinorUnits(amount, currency) * countUnits(site, price), currency)
}

/** What the visitor pays for the first period, or once, for all units: in major units. */
export function firstAmount(site: Site, price: Price): { amount: number; currency: string } {
  return { amount: dealFor(site, price)?.reduced ?? regularAmount(site, price), currency: localAmount(price).currency }
}

/**
 * What a page shows of a price's offer, as text to compare: a form repeats it, so that nobody is charged more than was shown because an offer
 * has changed or ended meanwhile. Empty: there is no offer.
 */
export function dealText(site: Site, price: Price): string {
  const deal = dealFor(site, price)
  if (!deal) return ''
  const { offer, reduced } = deal
  return [localAmount(price).currency, reduced, offer.discount.periods ?? 'once', offer.id].join(' ')
}

/** The field of the form that repeats it. */
export const dealField = ({ id }: Price): string => `deal-${id}`

/**
 * The offer at which a subscriber keeps a subscription; undefined if there is none. It begins with the next period. A
 * subscription that does not run, or is about to change, gets none.
 */
export function dealToStay(site: Site, purchase: Purchase): Deal | undefined {
  const { price_slug: slug, currency, status, scheduled_change: change } = purchase
  if (slug === null || status !== 'active' || change !== null || purchase.interval === null) return undefined
  const offer = site.offersToStay.find(
    ({ prices, discount }) => prices.includes(slug) && (discount.currency ?? currency) === currency,
  )
  return (offer && toDeal(offer, { amount: periodAmount(purchase), currency })) ?? undefined
}

/** The price of a period, for all units: in minor units. */
export const periodAmount = ({ unit_amount: amount, quantity }: Purchase): number => amount * quantity

/** What the cancel page shows of it, as text to compare: see dealText. */
export const stayText = ({ offer, reduced }: Deal): string =>
  [reduced, offer.discount.periods ?? 'once', offer.id].join(' ')
