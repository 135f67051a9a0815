import * as z from 'zod'
import { Discount, OFFER_PLACES } from '../processors/discount.ts'

const time = z.iso.datetime()

/** A discount offer as the API serves it. `amount` of the discount is in major units. */
export const Offer = z
  .object({
    id: z.string().describe('The `offer` for start-checkout'),
    title: z.string(),
    badge: z.string().optional(),
    discount: Discount,
    prices: z.array(z.string()).describe('The slugs of the prices that it applies to'),
    countries: z.array(z.string()).optional().describe('The countries in which it applies. Absent: all'),
    starts_at: time.optional(),
    ends_at: time.optional().describe('When it ends. Absent: never'),
    days_left: z
      .int()
      .min(1)
      .optional()
      .describe('The days until `ends_at`, rounded up: 1 on its last day. Absent if it never ends'),
    show: z
      .enum(OFFER_PLACES)
      .describe('`paywall`: to everybody. `cancel`: to a subscriber who is about to cancel. `code`: it needs its code'),
  })
  .describe('An offer that takes something off')
export type Offer = z.output<typeof Offer>

/** The offer of a code that a visitor has entered, with the texts of its title and badge by locale. */
export const OfferByCode = Offer.extend({ texts: z.record(z.string(), z.record(z.string(), z.unknown())) })
export type OfferByCode = z.output<typeof OfferByCode>
