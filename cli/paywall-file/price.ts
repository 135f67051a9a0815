import canonicalize from 'canonicalize'
import * as z from 'zod'
import { canonicalHash } from '../../lib/crypto/canonical.ts'
import { isCountry } from '../../lib/geo/countries.ts'
import type { LocalPrice as TargetedPrice } from '../../lib/geo/targeting.ts'
import { MAX_QUANTITY } from '../../lib/http/input-limits.ts'
import { isCurrency, toMajorUnits, toMinorUnits } from '../../lib/money/money.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { INTERVALS, type Interval } from '../../lib/processors/processor.ts'
import { MAX_TOKENS } from '../../lib/tokens/add-tokens.ts'
import { checked, disjoint, issueAt, unique } from './checks.ts'

/** A local price as stored: its amount in minor units, and the processor's id for it. */
export interface LocalPrice extends TargetedPrice {
  processor_price: string
}

const currency = z
  .string()
  .refine(isCurrency, 'not an ISO 4217 currency code')
  .meta({ description: 'ISO 4217, upper case: USD', pattern: '^[A-Z]{3}$' })

const amount = z.number().nonnegative().describe('Decimal major units: 9.99')

const processorPrice = z
  .string()
  .min(1)
  .max(255)
  .describe(
    `The processor's id for this price. ${Object.values(DEFINITIONS)
      .map((definition) => `${definition.title}: ${definition.processorPrice}`)
      .join('; ')}`,
  )

export const country = z
  .string()
  .refine(isCountry, 'not an ISO 3166-1 alpha-2 country code in upper case')
  .meta({ description: 'ISO 3166-1 alpha-2, upper case: US', pattern: '^[A-Z]{2}$' })

export const tokenType = z
  .string()
  .min(1)
  .max(100)
  .describe('A type of tokens, such as standard. Buyers see the text of this name in the locales')

const local = checked(
  z.strictObject({
    countries: z.array(country).min(1).optional().describe('The countries in which this price applies'),
    tier: z.int().positive().optional().describe('The tier of geo.tiers in which this price applies'),
    currency,
    amount,
    processorPrice,
  }),
  1,
  exactAmount,
).refine(({ countries, tier }) => (countries === undefined) !== (tier === undefined), 'give either countries or tier')

const tokens = z.array(
  z.strictObject({
    type: tokenType,
    count: z.int().min(1).max(MAX_TOKENS).describe('Credited for each paid period, or once'),
    trial_count: z
      .int()
      .min(0)
      .max(MAX_TOKENS)
      .optional()
      .describe('Credited with the trial, of which each user has one. Default: 0'),
  }),
)

const shape = z.strictObject({
  slug: z.string().min(1).max(100).describe('The stable name of this price. Its id changes when what is sold changes'),
  label: z
    .string()
    .min(1)
    .max(200)
    .describe('Shown to buyers, in their language if the locales have a text of this name'),
  currency,
  amount,
  interval: z.enum(INTERVALS).nullish().describe('The billing interval. If omitted, it is a one-time price'),
  interval_count: z
    .int()
    .min(1)
    .max(365)
    .nullish()
    .describe('Intervals per billing period: 3 with month is quarterly. Default: 1'),
  trial_days: z.int().min(0).max(730).nullish().describe('Trial days before the first payment. Default: 0'),
  processorPrice,
  features: z
    .array(z.string().min(1).max(100))
    .max(100)
    .refine((features) => new Set(features).size === features.length, 'a feature is listed twice')
    .default([])
    .describe(
      'Names of features that it includes, such as export. Existing buyers get features that are added later. The site shows those that ' +
        'the locales have a text for',
    ),
  access: z
    .boolean()
    .optional()
    .describe(
      'Whether it makes its buyer `paid`. Only a one-time price may be false: a pack, which anybody can buy repeatedly. Default: true. ' +
        'Required for a one-time price with tokens',
    ),
  per_unit: z
    .boolean()
    .default(false)
    .describe(
      `Whether a buyer can buy several units, such as seats: up to ${MAX_QUANTITY}. The amount and the tokens are those of one unit. ` +
        'Default: false',
    ),
  locals: checked(z.array(local), 1, unique('tier')).default([]).describe('Local prices for countries or tiers'),
  tokens: checked(tokens, 1, unique('type')).default([]).describe('The tokens that a buyer gets'),
})

/** A price, with amounts in major units. */
export const price = checked(checked(shape, 1, exactAmount, checkInterval, checkAccess), 4, checkCountries, checkUnits)

export type WrittenPrice = z.output<typeof shape>

function checkInterval({ interval, interval_count, trial_days, tokens }: WrittenPrice, context: z.RefinementCtx): void {
  if (interval) return
  for (const [index, { trial_count }] of tokens.entries()) {
    if (trial_count) issueAt(context, ['tokens', index, 'trial_count'], 'a price without interval has no trial')
  }
  if (interval_count) issueAt(context, ['interval_count'], 'a price without interval is a one-time price')
  if (trial_days) issueAt(context, ['trial_days'], 'a price without interval has no trial')
}

function checkAccess({ interval, access, tokens, features }: WrittenPrice, context: z.RefinementCtx): void {
  if (interval && access === false) issueAt(context, ['access'], 'a subscription always gives access')
  if (!interval && access === undefined && tokens.length > 0) {
    issueAt(context, ['access'], 'is required for a one-time price with tokens: true, or false for a pack')
  }
  if (access === false && features.length > 0)
    issueAt(context, ['features'], 'a price without access cannot have features')
}

function checkCountries({ locals }: WrittenPrice, context: z.RefinementCtx): void {
  const lists = locals.map(({ countries }, index) => ({
    path: ['locals', index, 'countries'],
    values: countries ?? [],
  }))
  disjoint(lists, context)
}

/** The amount and the tokens of the largest quantity must be exact numbers, too. */
function checkUnits(price: WrittenPrice, context: z.RefinementCtx): void {
  if (!price.per_unit) return
  const variants = [
    { path: [] as PropertyKey[], sold: price },
    ...price.locals.map((sold, index) => ({ path: ['locals', index] as PropertyKey[], sold })),
  ]
  const most = Math.floor(Number.MAX_SAFE_INTEGER / MAX_QUANTITY)
  for (const { path, sold } of variants) {
    if (!isCurrency(sold.currency)) continue
    const limit = toMajorUnits(most, sold.currency)
    if (sold.amount > limit) issueAt(context, [...path, 'amount'], `at most ${limit} with per_unit`)
  }
  const mostTokens = MAX_TOKENS / MAX_QUANTITY
  for (const [index, { count, trial_count: trialCount = 0 }] of price.tokens.entries()) {
    if (count > mostTokens) issueAt(context, ['tokens', index, 'count'], `at most ${mostTokens} with per_unit`)
    if (trialCount > mostTokens)
      issueAt(context, ['tokens', index, 'trial_count'], `at most ${mostTokens} with per_unit`)
  }
}

function exactAmount({ amount, currency }: { amount: number; currency: string }, context: z.RefinementCtx): void {
  if (!isCurrency(currency)) return
  try {
    toMinorUnits(amount, currency)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    issueAt(context, ['amount'], error.message)
  }
}

/** What is sold, with amounts in minor units. The other fields, such as the label and the tokens, may change without a new id. */
export interface Sale {
  paywall_id: string
  slug: string
  amount: number
  currency: string
  interval: Interval | null
  interval_count: number | null
  trial_days: number
  acquiring: string
  processor_price: string
  locals: LocalPrice[]
}

/** `price_` and 24 hex digits, a hash of what is sold. */
export async function priceId(sale: Sale): Promise<string> {
  // The order of local prices, and of the countries of one, does not change what is sold.
  const locals = sale.locals.map((local) => canonicalize({ ...local, countries: local.countries?.toSorted() })).sort()
  const hash = await canonicalHash({ ...sale, locals })
  return `price_${hash.slice(0, 24)}`
}
