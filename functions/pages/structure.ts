// The parts of bootstrap's reply that the pages use.
import * as z from 'zod'
import { MemberState } from '../../lib/member-state/member-state.ts'
import { Block, Links, Logo, OwnOffer } from '../../lib/paywall/blocks.ts'
import { Offer } from '../../lib/paywall/offer.ts'
import { INTERVALS } from '../../lib/processors/processor.ts'

const amounts = { currency: z.string(), amount: z.number() }

/** A price of the paywall. Amounts are in major units. `local` is the price in the visitor's country, if it differs there. */
const Price = z.object({
  ...amounts,
  id: z.string(),
  slug: z.string(),
  label: z.string(),
  interval: z.enum(INTERVALS).nullable(),
  interval_count: z.int().nullable(),
  trial_days: z.int(),
  features: z.array(z.string()),
  access: z.boolean(),
  per_unit: z.boolean(),
  tokens: z.array(z.object({ type: z.string(), count: z.int(), trial_count: z.int().optional() })),
  local: z.object(amounts).optional(),
})

export type Price = z.output<typeof Price>

/** The visitor's state on the paywall. `email` is null for an anonymous user. */
const User = MemberState.extend({ email: z.string().nullable() })

export type User = z.output<typeof User>
export type Purchase = User['purchases'][number]

/** Parses a list and drops entries that do not match the schema: paywalls stored before the schema existed may have some. */
const lenientList = <Schema extends z.ZodType>(schema: Schema) =>
  z.array(z.unknown()).transform((all) =>
    all.flatMap((each): z.output<Schema>[] => {
      const parsed = schema.safeParse(each)
      return parsed.success ? [parsed.data] : []
    }),
  )

export const Structure = z.object({
  settings: z.object({
    id: z.string(),
    name: z.string(),
    brand_color: z.string().optional(),
    logo: Logo.optional().catch(undefined),
    links: Links.optional().catch(undefined),
    embed_origins: z.array(z.string()).optional().catch(undefined),
    success_redirect_url: z.string().optional(),
    error_redirect_url: z.string().optional(),
    accepts_codes: z.literal(true).optional(),
  }),
  prices: z.array(Price),
  offers: lenientList(z.union([Offer, OwnOffer])),
  layout: z.object({ blocks: lenientList(Block) }),
  locales: z.record(z.string(), z.record(z.string(), z.unknown())),
  user: User.optional(),
})

export type Structure = z.output<typeof Structure>

/** The owner's own entries of `offers`, and those that take something off. */
export const isOwnOffer = (offer: Structure['offers'][number]): offer is z.output<typeof OwnOffer> =>
  offer.discount === undefined
export const isDiscountOffer = (offer: Structure['offers'][number]): offer is Offer => !isOwnOffer(offer)
