import * as z from 'zod'

/** What an offer takes off: `percent` of the price, or `amount` of `currency`. */
export const Discount = z
  .strictObject({
    percent: z.int().min(1).max(99).optional().describe('In percent of the price'),
    amount: z.number().positive().optional().describe('In major units of `currency`, instead of `percent`'),
    currency: z.string().optional().describe('ISO 4217. Only with `amount`'),
    periods: z
      .union([z.int().min(1).max(120), z.literal('forever')])
      .optional()
      .describe('For how many billing periods, counted from the first one, or `forever`. Absent for one-time prices'),
  })
  .describe('What an offer takes off the price')
export type Discount = z.output<typeof Discount>

/** What a discount takes off a price, both in minor units. `reduced_amount` calculates the same. */
export const takenOff = ({ percent = 0, amount }: Discount, price: number): number =>
  amount ?? Math.round((price * percent) / 100)

/**
 * How often an offer can be used, and when. `max`: absent if there is no limit; `maxPerMember`: absent if once. `startsAt`: not in the past;
 * `endsAt`: null if it never ends.
 */
export interface OfferLimits {
  max?: number
  maxPerMember?: number
  startsAt: Date
  endsAt: Date | null
}

/** How often a processor's discount can be redeemed, and when. Null and absent: it has no such limit. */
interface DiscountLimits {
  inAll?: number | null | undefined
  perUser?: number | null | undefined
  startsAt?: Date | null | undefined
  endsAt?: Date | null | undefined
}

/** Why the limits of a processor's discount would refuse what an offer promises, in words that follow its name; null if they would not. */
export function limitMismatch(limits: DiscountLimits, offer: OfferLimits): string | null {
  return countMismatch(limits, offer) ?? timeMismatch(limits, offer)
}

/** Whether a processor's discount is used up, and its offer with it: then it refuses nothing that the offer promises. */
export const isUsedUpWithOffer = (count: number, limit: number | null | undefined, { max }: OfferLimits): boolean =>
  limit != null && count >= limit && limit === max

function countMismatch({ inAll, perUser }: DiscountLimits, { max, maxPerMember = 1 }: OfferLimits): string | null {
  if (inAll != null && max === undefined)
    return `can be redeemed ${inAll} times: give the offer a max, or remove that limit`
  if (inAll != null && max !== undefined && inAll < max)
    return `can be redeemed ${inAll} times, and the offer ${max} times`
  return perUser != null && perUser < maxPerMember
    ? `can be redeemed ${perUser} times by each user, and the offer ${maxPerMember} times`
    : null
}

function timeMismatch({ startsAt, endsAt }: DiscountLimits, offer: OfferLimits): string | null {
  if (startsAt && startsAt > offer.startsAt) return `starts at ${startsAt.toISOString()}, which is after the offer`
  if (!endsAt) return null
  const ends = `ends at ${endsAt.toISOString()}`
  if (offer.endsAt === null) return `${ends}: give the offer an ends_at, or remove that time`
  return endsAt < offer.endsAt ? `${ends}, which is before the offer` : null
}

/** Where an offer is shown. */
export const OFFER_PLACES = ['paywall', 'cancel', 'code'] as const
export type OfferPlace = (typeof OFFER_PLACES)[number]
