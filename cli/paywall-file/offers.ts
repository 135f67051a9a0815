// The offers of a paywall that take something off: their schema, and what must be true of them together with the prices and the processor.
import * as z from 'zod'
import { isCurrency, toMinorUnits } from '../../lib/money/money.ts'
import { OwnOffer } from '../../lib/paywall/blocks.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { Discount, OFFER_PLACES, takenOff } from '../../lib/processors/discount.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { didYouMean } from '../did-you-mean.ts'
import { disjoint, issueAt } from './checks.ts'
import { country, type WrittenPrice } from './price.ts'

const slug = z.string().min(1).max(100)
const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T23:59:59Z' })

const DiscountOffer = z
  .strictObject({
    id: z.string().min(1).max(100).describe('Its name in the API, which start-checkout takes as `offer`'),
    title: z
      .string()
      .min(1)
      .max(200)
      .describe('Shown to buyers, in their language if the locales have a text of this name'),
    badge: z.string().min(1).max(200).optional().describe('Shown at its prices, in the same way'),
    discount: Discount,
    prices: z.array(slug).min(1).max(100).describe('The slugs of the prices that it applies to'),
    countries: z.array(country).min(1).optional().describe('Only for buyers in these countries. Default: in all'),
    starts_at: time.optional().describe('When it begins, with a time zone. Default: at once'),
    ends_at: time.optional().describe('When it ends, with a time zone. Default: never'),
    max: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('How many uses it has, by all members together. Default: no limit'),
    max_per_member: z.int().min(1).max(1_000).optional().describe('How often each member can use it. Default: once'),
    code: z
      .string()
      .regex(/^[A-Za-z0-9_-]{4,50}$/, 'must be 4 to 50 letters, digits, hyphens or underscores')
      .optional()
      .describe('A code that gives the same, in upper or lower case. It is served nowhere'),
    show: z
      .enum(OFFER_PLACES)
      .optional()
      .describe(
        '`paywall`, the default: shown to everybody. `cancel`: to subscribers who cancel. `code`: nowhere, it needs its code',
      ),
    processorDiscount: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("The processor's id of the discount, where it takes it off by one of its own, such as a coupon"),
  })
  .describe('An offer that takes something off')

/** An entry of `offers`: with a `discount` it takes something off, without one it is the owner's own. */
export const offer = z.union([DiscountOffer, OwnOffer])

export type WrittenOffer = z.output<typeof offer>
export type WrittenDiscountOffer = z.output<typeof DiscountOffer>

export const isDiscountOffer = (written: WrittenOffer): written is WrittenDiscountOffer =>
  written.discount !== undefined

interface PaywallWithOffers {
  processor: { acquiring: ProcessorName }
  prices: WrittenPrice[]
  offers: unknown[]
}

/** A valid offer with its place in the file. */
interface Placed {
  index: number
  offer: WrittenDiscountOffer
}

/** Rejects offers that contradict themselves, each other, the prices or the processor. Offers invalid by themselves are left out. */
export function checkOffers({ processor, prices, offers }: PaywallWithOffers, context: z.RefinementCtx): void {
  const placed = offers.flatMap((written, index): Placed[] => {
    const { data } = DiscountOffer.safeParse(written)
    return data ? [{ index, offer: data }] : []
  })
  checkUnique(placed, 'id', (id) => id, context)
  checkUnique(placed, 'code', (code) => code.toLowerCase(), context)
  checkOwnDiscounts(placed, context)
  for (const { index, offer } of placed) {
    const at = (path: PropertyKey[], message: string) => issueAt(context, ['offers', index, ...path], message)
    disjoint([{ path: ['offers', index, 'prices'], values: offer.prices }], context)
    disjoint([{ path: ['offers', index, 'countries'], values: offer.countries ?? [] }], context)
    checkTimes(offer, at)
    checkPlace(offer, at)
    checkDiscount(offer.discount, at)
    checkPrices(offer, prices, at)
    for (const { path, message } of discountProblems(processor.acquiring, offer, prices)) at(path, message)
  }
}

type Report = (path: PropertyKey[], message: string) => void

function checkUnique(
  placed: Placed[],
  field: 'id' | 'code',
  toComparable: (value: string) => string,
  context: z.RefinementCtx,
): void {
  const firstIndexes = new Map<string, number>()
  for (const { index, offer } of placed) {
    const value = offer[field]
    if (value === undefined) continue
    const first = firstIndexes.get(toComparable(value))
    if (first === undefined) firstIndexes.set(toComparable(value), index)
    else issueAt(context, ['offers', index, field], `is the same as in entry ${first}`)
  }
}

/**
 * A subscription that has a discount already does not get it again, and a retry of a call recognises its own by its id. So an offer to
 * subscribers who cancel needs a discount of its own.
 */
function checkOwnDiscounts(placed: Placed[], context: z.RefinementCtx): void {
  for (const { index, offer } of placed.filter(({ offer }) => offer.show === 'cancel')) {
    const same = placed.find(
      (other) => other.index !== index && other.offer.processorDiscount === offer.processorDiscount,
    )
    if (same && offer.processorDiscount !== undefined) {
      issueAt(
        context,
        ['offers', index, 'processorDiscount'],
        `is also that of entry ${same.index}: an offer to stay needs its own`,
      )
    }
  }
}

function checkTimes({ starts_at: start, ends_at: end }: WrittenDiscountOffer, at: Report): void {
  if (start !== undefined && end !== undefined && Date.parse(end) <= Date.parse(start)) {
    at(['ends_at'], 'is not after starts_at')
  }
}

function checkPlace({ show, code, max_per_member: often }: WrittenDiscountOffer, at: Report): void {
  if (show === 'code' && code === undefined) at(['code'], 'is required for an offer that is shown nowhere')
  if (show === 'cancel' && often !== undefined) at(['max_per_member'], 'a subscription gets this offer once')
  if (show === 'cancel' && code !== undefined) at(['code'], 'an offer to subscribers who cancel has no code')
}

function checkDiscount({ percent, amount, currency }: Discount, at: Report): void {
  if ((percent === undefined) === (amount === undefined)) at(['discount'], 'give either percent or amount')
  if (amount === undefined && currency !== undefined) at(['discount', 'currency'], 'belongs to amount')
  if (amount === undefined) return
  if (currency === undefined) at(['discount', 'currency'], 'is required with amount')
  else if (!isCurrency(currency)) at(['discount', 'currency'], 'not an ISO 4217 currency code')
  else if (minorUnits(amount, currency) === null)
    at(['discount', 'amount'], `${amount} is not an amount of ${currency}`)
}

function checkPrices(offer: WrittenDiscountOffer, prices: WrittenPrice[], at: Report): void {
  const slugs = prices.map((price) => price.slug)
  for (const [position, name] of offer.prices.entries()) {
    const price = prices.find((each) => each.slug === name)
    const problem = price ? priceProblem(offer, price) : `there is no price ${name}${didYouMean(name, slugs)}`
    if (problem) at(['prices', position], problem)
  }
}

/** Why an offer cannot be of a price; null if it can. */
function priceProblem({ discount, show }: WrittenDiscountOffer, price: WrittenPrice): string | null {
  const { slug, interval } = price
  const { percent, amount, currency, periods } = discount
  if (!interval && periods !== undefined) return `${slug} is a one-time price: it has no discount.periods`
  if (!interval && show === 'cancel') return `${slug} is a one-time price: nobody cancels it`
  if (interval && periods === undefined) return `${slug} is a subscription: say in discount.periods how long it lasts`
  const variants = [price, ...price.locals]
  if (percent !== undefined) {
    const sold = variants.filter((each) => isCurrency(each.currency))
    const free = sold.find((each) => share(percent, each) === 0)
    if (free) return `${percent} % of ${free.amount} ${free.currency} rounds to 0: the offer would have no discount`
    const low = sold.find((each) => share(percent, each) === minorUnits(each.amount, each.currency))
    return low
      ? `${percent} % of ${low.amount} ${low.currency} rounds to the whole price: the offer would be free`
      : null
  }
  if (amount === undefined || currency === undefined) return null
  const foreign = variants.find((each) => each.currency !== currency)
  if (foreign) return `${slug} is sold in ${foreign.currency}, too: use percent`
  const low = variants.find((each) => each.amount <= amount)
  return low ? `${amount} ${currency} is not less than the ${low.amount} ${currency} of ${slug}` : null
}

/** The parts of an offer that its processor needs. */
type SoldOffer = Pick<WrittenDiscountOffer, 'discount' | 'prices' | 'processorDiscount' | 'show'>

const share = (percent: number, { amount, currency }: { amount: number; currency: string }) =>
  takenOff({ percent }, minorUnits(amount, currency) ?? 0)

/** Why the processor cannot take an offer off exactly: with paths relative to the offer; empty if it can. */
export function discountProblems(
  acquiring: ProcessorName,
  { discount, prices: slugs, processorDiscount, show }: SoldOffer,
  prices: Pick<WrittenPrice, 'slug' | 'interval' | 'interval_count' | 'trial_days'>[],
): { path: PropertyKey[]; message: string }[] {
  const { title, discounts } = DEFINITIONS[acquiring]
  if (!discounts) return [{ path: ['discount'], message: `${title} cannot take it off: remove the offer` }]
  const problems: { path: PropertyKey[]; message: string }[] = []
  const at: Report = (path, message) => void problems.push({ path, message })
  if (discounts.processorDiscount === null) {
    if (processorDiscount !== undefined) at(['processorDiscount'], `${title} has no discounts of its own: remove it`)
  } else if (processorDiscount === undefined) {
    at(['processorDiscount'], `is required at ${title}: ${discounts.processorDiscount}`)
  }
  for (const { slug, interval, interval_count: count, trial_days: days } of prices) {
    if (!slugs.includes(slug) || !interval) continue
    const problem = discounts.problem(discount, { interval, intervalCount: count ?? 1 })
    if (problem) at(['discount', 'periods'], `${title} ${problem}: ${slug}`)
    const meetsTrial = days && show !== 'cancel' // an offer to stay is for subscriptions whose trial is over
    if (discounts.trialProblem !== null && meetsTrial && typeof discount.periods === 'number') {
      const remedy = 'use "forever", or a price without trial_days'
      at(['discount', 'periods'], `${title} ${discounts.trialProblem}, and ${slug} begins with one: ${remedy}`)
    }
  }
  return problems
}

/** Null if the amount has too many decimals for its currency. */
function minorUnits(amount: number, currency: string): number | null {
  try {
    return toMinorUnits(amount, currency)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return null
  }
}
