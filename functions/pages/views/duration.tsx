import { type Deal, regularAmount } from '../deal.ts'
import { formatTotal } from '../formats.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'

/** How long a subscription costs less. */
export function Duration({ site, price, deal }: { site: Site; price: Price; deal: Deal }) {
  const { periods } = deal.offer.discount
  if (price.interval === null || periods === undefined) return null
  const { texts } = site
  const text =
    periods === 'forever'
      ? texts.whileSubscribed
      : texts.firstPeriods(
          price.interval,
          periods * (price.interval_count ?? 1),
          formatTotal(price, site, regularAmount(site, price)),
        )
  return <span class="hint">{text}</span>
}
