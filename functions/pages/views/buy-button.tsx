import { dealField, dealFor, dealText, firstAmount, regularAmount } from '../deal.ts'
import { formatMoney, formatTotal } from '../formats.ts'
import { availability, findEndedSubscriptions, trialDays } from '../sale.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'
import { ChangeLink } from './change-link.tsx'
import { CodeField } from './code-field.tsx'
import { OwnerLinks } from './links.tsx'
import { type Choice, radioId } from './prices.tsx'
import { priceLabel } from './purchase.tsx'
import { Units } from './units.tsx'

interface BuyButtonProps {
  site: Site
  choice: Choice
  /** The owner's text; by default it describes what happens. */
  text?: string | undefined
  /** The price that it sells; by default the one that the visitor has chosen. */
  price?: Price | undefined
  /** Whether to show the field for the number of units. Of a price's buttons on a page only the first may. */
  hasUnits?: boolean
  /** Whether to show the field for a code; only one button per page may. */
  hasCode: boolean
}

/**
 * Opens a checkout. Below it is what is due today and later. A link if a subscription can be changed to the price; null if the visitor
 * cannot buy this price or, without one, has no price to choose.
 */
export function BuyButton({ site, choice, text, price, hasUnits = false, hasCode }: BuyButtonProps) {
  if (price && availability(site, price) === 'change') return <ChangeLink site={site} price={price} />
  if (!isSold(site, choice, price)) return null
  return (
    <div class="buy">
      {price?.per_unit && hasUnits && <Units site={site} price={price} />}
      <button type="submit" class="primary" data-total {...(price && { name: 'sell', value: price.id })}>
        {text ?? (price ? buttonText(site, price) : <ChoiceText site={site} choice={choice} />)}
      </button>
      {price ? (
        <p class="hint" data-total>
          {terms(site, price)}
        </p>
      ) : (
        choice.prices.map((each) => (
          <p class={`of-price hint ${radioId(site, each)}`} data-total>
            {terms(site, each)}
          </p>
        ))
      )}
      {price && !price.per_unit && <input type="hidden" name={dealField(price)} value={dealText(site, price)} />}
      {hasCode && <CodeField site={site} />}
      <OwnerLinks site={site} names={['terms', 'privacy']} />
    </div>
  )
}

/** Whether there is something to sell: the button's own price or, without one, the price that the visitor has chosen. */
export const isSold = (site: Site, choice: Choice, price: Price | undefined): boolean =>
  price ? availability(site, price) === 'available' : choice.chosen !== undefined

/** One text per price; the stylesheet shows that of the chosen price. Browsers without `:has` show `of-any`. */
function ChoiceText({ site, choice }: { site: Site; choice: Choice }) {
  return (
    <>
      {choice.prices.map((price) => (
        <span class={`of-price ${radioId(site, price)}`}>{buttonText(site, price)}</span>
      ))}
      <span class="of-any">{site.texts.continue}</span>
    </>
  )
}

function buttonText(site: Site, price: Price): string {
  const days = trialDays(site, price)
  if (days > 0) return site.texts.startTrial(days)
  const { amount, currency } = firstAmount(site, price)
  return site.texts.pay(formatMoney(amount, currency, site))
}

/** What is due today and later, and which subscriptions end. */
function terms(site: Site, price: Price): string {
  const ended = findEndedSubscriptions(site, price).map((purchase) => site.texts.ends(priceLabel(site, purchase)))
  return [paymentTerms(site, price), ...ended].join(' ')
}

function paymentTerms(site: Site, price: Price): string {
  const { texts } = site
  const { amount, currency } = firstAmount(site, price)
  const days = trialDays(site, price)
  const today = texts.dueToday(formatMoney(days > 0 ? 0 : amount, currency, site))
  const { interval, interval_count: count } = price
  if (interval === null) return today
  const periods = dealFor(site, price)?.offer.discount.periods ?? 'forever'
  const first = formatTotal(price, site, amount)
  const then = formatTotal(price, site, regularAmount(site, price))
  if (periods === 'forever') return `${today} ${days > 0 ? texts.afterTrial(first, days) : texts.renewsAt(first)}`
  if (days > 0) return `${today} ${texts.afterTrialThen(days, interval, periods * (count ?? 1), first, then)}`
  if (periods === 1) return `${today} ${texts.renewsAt(then)}`
  return `${today} ${texts.firstThen(interval, periods * (count ?? 1), first, then)}`
}
