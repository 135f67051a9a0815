import type { Interval } from '../../../lib/processors/processor.ts'
import { PAYWALL_PATH } from '../contract.ts'
import { formatCycle, formatMoney, formatPrice, localAmount } from '../formats.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'

/** The prices of a page and the visitor's selection. */
export interface Choice {
  /** All prices of the page in display order. */
  prices: Price[]
  highlight: string | undefined
  /** The intervals of the toggle; empty if there is no toggle. */
  intervals: Interval[]
  /** The interval that is shown now. */
  interval: Interval | undefined
  /** The id of the price that is chosen. */
  chosen: string | undefined
}

const isShown = ({ interval }: Price, choice: Choice) =>
  interval === null || !choice.intervals.includes(interval) || interval === choice.interval

/** The price that is preselected: the visitor's earlier choice, else the recommended one, else the first. */
export function findChosen(choice: Omit<Choice, 'chosen'>, before: string | undefined): string | undefined {
  const shown = choice.prices.filter((price) => isShown(price, { ...choice, chosen: before }))
  const found = shown.find(({ id }) => id === before) ?? shown.find(({ slug }) => slug === choice.highlight) ?? shown[0]
  return found?.id
}

export function Prices({ site, choice }: { site: Site; choice: Choice }) {
  return (
    <fieldset class="prices">
      <legend>{site.texts.choose}</legend>
      {choice.prices.map((price) => (
        <PriceOption site={site} price={price} choice={choice} />
      ))}
    </fieldset>
  )
}

function PriceOption({ site, price, choice }: { site: Site; price: Price; choice: Choice }) {
  const { texts, tag, structure } = site
  const { amount, currency } = localAmount(price)
  const isHidden = !isShown(price, choice)
  const isSwitched = price.interval !== null && choice.intervals.includes(price.interval)
  const offer = structure.offers.find((each) => each.price === price.slug && each.show === undefined)
  const badge = typeof offer?.badge === 'string' ? offer.badge : null
  const isRecommended = price.slug === choice.highlight
  return (
    <label class="price" data-interval={isSwitched ? price.interval : undefined} hidden={isHidden}>
      <input
        type="radio"
        name="price"
        value={price.id}
        checked={price.id === choice.chosen}
        disabled={isHidden}
        required
      />
      <span class="price-name">
        {price.label}
        {(badge || isRecommended) && <span class="badge">{badge ?? texts.recommended}</span>}
      </span>
      <span class="price-amount">
        <strong>{formatMoney(amount, currency, { tag })}</strong> {formatCycle(price, site)}
      </span>
      {price.trial_days > 0 && (
        <span class="price-trial">{texts.trial(price.trial_days, formatPrice(price, site))}</span>
      )}
    </label>
  )
}

/** Switches between intervals with links, so that it works without a script. */
export function Toggle({ site, choice }: { site: Site; choice: Choice }) {
  return (
    <nav class="toggle" aria-label={site.texts.billing}>
      {choice.intervals.map((interval) => (
        <a
          href={site.href(PAYWALL_PATH, { interval })}
          data-interval={interval}
          aria-current={interval === choice.interval ? 'true' : undefined}
        >
          {site.texts.intervals[interval]}
        </a>
      ))}
    </nav>
  )
}
