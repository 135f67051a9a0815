// Asks the processors whether their discounts, such as coupons, match the file's offers.
import { ApiBases } from '../../lib/processors/api-bases.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { DISCOUNT_CHECKS } from '../../lib/processors/discount-checks.ts'
import { ProcessorError, type SoldDiscount } from '../../lib/processors/processor.ts'
import type { FileOffer, FilePaywall, PaywallFile } from '../paywall-file/file.ts'

export interface CheckedDiscounts {
  /** Discounts that differ from their offer. */
  errors: string[]
  /** Discounts that could not be checked. */
  warnings: string[]
}

/** Checks each discount that an offer names, where the processor can be asked. `apiBases` replaces the processors' origins. */
export async function checkProcessorDiscounts({ paywalls }: PaywallFile, apiBases: string): Promise<CheckedDiscounts> {
  const bases = ApiBases.parse(apiBases)
  const checked: CheckedDiscounts = { errors: [], warnings: [] }
  for (const paywall of paywalls) {
    const named = paywall.discounts.filter((offer) => offer.processor_discount !== null && !hasEnded(offer))
    if (named.length === 0) continue
    const { acquiring, credentials } = paywall.processor
    const options = { base: bases[acquiring] ?? null, isTest: paywall.is_test, fetch, now: () => new Date() }
    const check = await DISCOUNT_CHECKS[acquiring]?.(credentials, options)
    if (!check) continue
    const { title, discounts } = DEFINITIONS[acquiring]
    for (const offer of named) {
      const what = `paywall ${paywall.id}: offer ${offer.id}: ${title}'s ${discounts?.processorDiscount} ${offer.processor_discount}`
      try {
        const mismatch = await check(offer.processor_discount ?? '', toSold(paywall, offer))
        if (mismatch !== null) checked.errors.push(`${what} ${mismatch}`)
      } catch (error) {
        if (!(error instanceof ProcessorError)) throw error
        checked.warnings.push(`${what} could not be checked: ${error.message}`)
      }
    }
  }
  return checked
}

/** The discount of an offer that is over has usually ended with it. */
const hasEnded = ({ ends_at: end }: FileOffer) => end !== null && Date.parse(end) <= Date.now()

/** Each price of the offer, and each of its local prices. */
function toSold(
  { prices }: FilePaywall,
  { discount, show, max_uses: max, max_per_member: maxPerMember, starts_at, ends_at, prices: slugs }: FileOffer,
): SoldDiscount {
  const sold = prices.filter(({ slug }) => slugs.includes(slug))
  return {
    discount,
    isToStay: show === 'cancel',
    ...(max !== null && { max }),
    maxPerMember,
    startsAt: new Date(Math.max(Date.now(), starts_at === null ? 0 : Date.parse(starts_at))),
    endsAt: ends_at === null ? null : new Date(ends_at),
    prices: sold.flatMap(({ interval, interval_count: count, locals, ...price }) =>
      [price, ...locals].map(({ processor_price: processorPrice }) => ({
        processorPrice,
        recurring: interval && { interval, intervalCount: count ?? 1 },
      })),
    ),
  }
}
