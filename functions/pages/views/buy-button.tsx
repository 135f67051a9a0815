import { formatMoney, formatPrice, localAmount } from '../formats.ts'
import { availability, replacedBy, trialDays } from '../sale.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'
import { ChangeLink } from './change-link.tsx'
import { OwnerLinks } from './links.tsx'
import { type Choice, radioId } from './prices.tsx'
import { priceLabel } from './purchase.tsx'

interface BuyButtonProps {
  site: Site
  choice: Choice
  /** The owner's text; by default it describes what happens. */
  text?: string | undefined
  /** The price that it sells; by default the one that the visitor has chosen. */
  price?: Price | undefined
}

/**
 * Opens a checkout. Below it is what is due today and later. A link if a subscription can be changed to the price; nothing if the visitor
 * cannot buy it, or any.
 */
export function BuyButton({ site, choice, text, price }: BuyButtonProps) {
  if (price && availability(site, price) === 'change') return <ChangeLink site={site} price={price} />
  if (price ? availability(site, price) !== 'available' : choice.chosen === undefined) return null
  return (
    <div class="buy">
      <button type="submit" class="primary" {...(price && { name: 'sell', value: price.id })}>
        {text ?? (price ? buttonText(site, price) : <ChoiceText site={site} choice={choice} />)}
      </button>
      {price ? (
        <p class="hint">{terms(site, price)}</p>
      ) : (
        choice.prices.map((each) => <p class={`of-price hint ${radioId(site, each)}`}>{terms(site, each)}</p>)
      )}
      <OwnerLinks site={site} names={['terms', 'privacy']} />
    </div>
  )
}

/** The text for each price, of which the style shows that of the chosen one. Browsers without `:has` show a text for all. */
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
  const { amount, currency } = localAmount(price)
  return site.texts.pay(formatMoney(amount, currency, site))
}

/** What is due today and later, and which subscriptions end. */
function terms(site: Site, price: Price): string {
  const ended = replacedBy(site, price).map((purchase) => site.texts.ends(priceLabel(site, purchase)))
  return [paymentTerms(site, price), ...ended].join(' ')
}

function paymentTerms(site: Site, price: Price): string {
  const { texts } = site
  const { amount, currency } = localAmount(price)
  const days = trialDays(site, price)
  const today = texts.dueToday(formatMoney(days > 0 ? 0 : amount, currency, site))
  if (price.interval === null) return `${today} ${texts.neverRenews}`
  const later = days > 0 ? texts.afterTrial : texts.renewsAt
  return `${today} ${later(formatPrice(price, site), days)}`
}
