import type { Interval } from '../../../lib/processors/processor.ts'
import { PAYWALL_PATH } from '../contract.ts'
import { type Deal, dealField, dealFor, dealText, firstAmount } from '../deal.ts'
import { formatCycle, formatDate, formatMoney, formatMonthly, formatPrice, localAmount } from '../formats.ts'
import { availability, scheduledChange, trialDays } from '../sale.ts'
import type { Site } from '../site.ts'
import { isOwnOffer, type Price } from '../structure.ts'
import { ChangeLink } from './change-link.tsx'
import { Duration } from './duration.tsx'
import { Units } from './units.tsx'

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
  /** Whether each of the prices has a card. */
  hasCards: boolean
}

const isShown = ({ interval }: Price, choice: Choice) =>
  interval === null || !choice.intervals.includes(interval) || interval === choice.interval

/** The price that is preselected, if any can be bought: the visitor's earlier choice, else the recommended one, else the first. */
export function findChosen(site: Site, choice: Omit<Choice, 'chosen'>, before: string | undefined): string | undefined {
  const offered = choice.prices.filter(
    (price) => isShown(price, { ...choice, chosen: before }) && availability(site, price) === 'available',
  )
  const found =
    offered.find(({ id }) => id === before) ?? offered.find(({ slug }) => slug === choice.highlight) ?? offered[0]
  return found?.id
}

export function Prices({ site, choice }: { site: Site; choice: Choice }) {
  return (
    <fieldset class="prices">
      <legend>{site.texts.choose}</legend>
      {choice.prices.map((price) => (
        <PriceCard site={site} price={price} choice={choice} />
      ))}
    </fieldset>
  )
}

/**
 * A price, with a radio button if the visitor may buy it, or a link if a subscription can be changed to it. The benefits are outside of the
 * label, so that it stays short.
 */
function PriceCard({ site, price, choice }: { site: Site; price: Price; choice: Choice }) {
  const isHidden = !isShown(price, choice)
  const isSwitched = price.interval !== null && choice.intervals.includes(price.interval)
  const id = radioId(site, price)
  const isOffered = availability(site, price) === 'available'
  return (
    <div class="price" data-interval={isSwitched ? price.interval : undefined} hidden={isHidden}>
      {isOffered && (
        <input
          type="radio"
          id={id}
          name="price"
          value={price.id}
          checked={price.id === choice.chosen}
          disabled={isHidden}
          required
        />
      )}
      {isOffered ? (
        <label class="price-head" for={id}>
          <Head site={site} price={price} choice={choice} />
        </label>
      ) : (
        <div class="price-head">
          <Head site={site} price={price} choice={choice} />
        </div>
      )}
      <Benefits site={site} price={price} />
      {isOffered &&
        (price.per_unit ? (
          <Units site={site} price={price} isHidden={isHidden} />
        ) : (
          <input type="hidden" name={dealField(price)} value={dealText(site, price)} />
        ))}
      {availability(site, price) === 'change' && <ChangeLink site={site} price={price} />}
    </div>
  )
}

/** What it costs: one unit, if it is sold per unit. The total of those is below. */
function Head({ site, price, choice }: { site: Site; price: Price; choice: Choice }) {
  const { texts, tag } = site
  const regular = localAmount(price)
  const { currency } = regular
  const amount = price.per_unit ? regular.amount : firstAmount(site, price).amount
  const deal = dealFor(site, price)
  const monthly = formatMonthly(price, site, amount)
  const state = availability(site, price)
  const days = state === 'available' ? trialDays(site, price) : 0
  const scheduled = scheduledChange(site, price)
  return (
    <>
      <span class="price-name">
        {site.text(price.label)}
        <Badge site={site} price={price} choice={choice} />
      </span>
      {deal && <span class="price-offer">{offerTitle(site, deal)}</span>}
      <span class="price-amount">
        {deal && !price.per_unit && (
          <>
            <span class="unseen">{texts.regularPrice} </span>
            <s>{formatMoney(regular.amount, currency, { tag })}</s> <span class="unseen">{texts.offerPrice} </span>
          </>
        )}
        <strong>{formatMoney(amount, currency, { tag })}</strong> {formatCycle(price, site)}
      </span>
      {monthly && <span class="hint">{texts.thatIs(monthly)}</span>}
      {days > 0 && !price.per_unit && (
        <span class="price-trial">{texts.trial(days, formatPrice(price, site, amount))}</span>
      )}
      {deal && !price.per_unit && <Duration site={site} price={price} deal={deal} />}
      {scheduled && <span class="hint">{texts.planFrom(formatDate(scheduled.effective_at, site))}</span>}
      {state === 'second subscription' && <span class="hint">{texts.oneSubscription}</span>}
    </>
  )
}

/** The offer's title and the days left. */
function offerTitle(site: Site, { offer: { title, days_left: days } }: Deal): string {
  return [site.text(title), ...(days === undefined ? [] : [site.texts.daysLeft(days)])].join(' · ')
}

/** That the visitor has the price; else the offer's badge, or that the price is recommended. */
function Badge({ site, price, choice }: { site: Site; price: Price; choice: Choice }) {
  if (availability(site, price) === 'owned') return <span class="badge">{site.texts.currentPlan}</span>
  const own = site.structure.offers.filter(isOwnOffer)
  const offer =
    dealFor(site, price)?.offer.badge ?? own.find((each) => each.price === price.slug && each.show === undefined)?.badge
  const isRecommended = price.slug === choice.highlight
  const badge = typeof offer === 'string' ? site.text(offer) : isRecommended && site.texts.recommended
  return badge ? <span class="badge">{badge}</span> : null
}

/** What the buyer gets: the tokens, and the features that the locale has a text for; others are names for the owner's code. */
function Benefits({ site, price }: { site: Site; price: Price }) {
  const { texts, tag } = site
  const hasTrial = availability(site, price) === 'available' && trialDays(site, price) > 0
  const number = (count: number) => new Intl.NumberFormat(tag).format(count)
  const tokens = price.tokens.map(({ type, count, trial_count }) => {
    const name = site.findText(type) ?? texts.tokensOfType(type)
    const each = [number(count), name, ...(price.interval ? [formatCycle(price, site)] : [])].join(' ')
    return hasTrial ? texts.inTrial(each, number(trial_count ?? 0)) : each
  })
  const benefits = [...tokens, ...price.features.flatMap((feature) => site.findText(feature) ?? [])]
  if (benefits.length === 0) return null
  return (
    <ul class="features">
      {benefits.map((benefit) => (
        <li>{benefit}</li>
      ))}
    </ul>
  )
}

/** Switches between intervals with links, so that it works without a script. Shows which interval has a trial. */
export function Toggle({ site, choice }: { site: Site; choice: Choice }) {
  return (
    <nav class="toggle" aria-label={site.texts.billing}>
      {choice.intervals.map((interval) => {
        const ofInterval = choice.prices.filter(
          (price) => price.interval === interval && availability(site, price) === 'available',
        )
        const days = Math.max(0, ...ofInterval.map((price) => trialDays(site, price)))
        return (
          <a
            href={site.href(PAYWALL_PATH, { interval })}
            data-interval={interval}
            aria-current={interval === choice.interval ? 'true' : undefined}
          >
            {site.texts.intervals[interval]} {days > 0 && <small>{site.texts.daysFree(days)}</small>}
          </a>
        )
      })}
    </nav>
  )
}

/** The id of a price's radio button, and the class of what is shown while it is checked. */
export const radioId = ({ structure }: Site, { id }: Price): string =>
  `price-${structure.prices.findIndex((price) => price.id === id)}`

/** The style that shows what belongs to the checked price, without a script. */
export function choiceStyle({ structure }: Site): string {
  const rules = structure.prices.map((_price, index) => `form:has(#price-${index}:checked) .price-${index}`)
  return rules.length === 0 ? '' : `${rules.join()}{display:block}`
}
