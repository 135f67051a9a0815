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

/** How often an offer can be used. `max`: absent if there is no limit; `maxPerMember`: absent if once. */
export interface OfferLimits {
  max?: number
  maxPerMember?: number
}

/**
 * Why the limits of a processor's discount would refuse what an offer promises, in words that follow its name; null if they would not. Null
 * and absent: the discount has no such limit.
 */
export function limitMismatch(
  { inAll, perUser }: { inAll?: number | null | undefined; perUser?: number | null | undefined },
  { max, maxPerMember = 1 }: OfferLimits,
): string | null {
  if (inAll != null && max === undefined)
    return `can be redeemed ${inAll} times: give the offer a max, or remove that limit`
  if (inAll != null && max !== undefined && inAll < max)
    return `can be redeemed ${inAll} times, and the offer ${max} times`
  return perUser != null && perUser < maxPerMember
    ? `can be redeemed ${perUser} times by each user, and the offer ${maxPerMember} times`
    : null
}

/** Where an offer is shown. */
export const OFFER_PLACES = ['paywall', 'cancel', 'code'] as const
export type OfferPlace = (typeof OFFER_PLACES)[number]
