import type { Child } from 'hono/jsx'
import { toMajorUnits } from '../../../lib/money/money.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import { CANCEL_PATH, CHANGE_PATH, PAYWALL_PATH } from '../contract.ts'
import { formatCycle, formatDate, formatMoney } from '../formats.ts'
import { availability, changeable, changeableTo, isBeingReplaced, isOver } from '../sale.ts'
import type { Site } from '../site.ts'
import type { Price, Purchase } from '../structure.ts'

interface PurchaseProps {
  site: Site
  purchase: Purchase
  /** Whether it has just been cancelled here: the processor's webhook may still be on its way. */
  isCancelled?: boolean
}

/** A purchase, when it renews or ends, and a link to cancel it. */
export function PurchaseCard({ site, purchase, isCancelled = false }: PurchaseProps) {
  const { texts } = site
  const { id, currency, unit_amount: amount, quantity, status } = purchase
  const mayCancel = renews(site, purchase) && !isCancelled && site.user?.email
  const mayChange =
    changeable(site)?.id === id &&
    !isCancelled &&
    site.structure.prices.some((price) => availability(site, price) === 'change')
  const units = !isCancelled && !purchase.scheduled_change && changeableUnits(site, purchase)
  return (
    <section class="card" aria-labelledby={`purchase-${id}`}>
      <div class="row">
        <h2 id={`purchase-${id}`}>{priceLabel(site, purchase)}</h2>
        <span class={`status ${status}`}>{texts.statuses[status]}</span>
      </div>
      <p>
        {formatMoney(toMajorUnits(amount * quantity, currency), currency, site)} {formatCycle(purchase, site)}
      </p>
      <p class="soft">{describeEnd(site, purchase, isCancelled)}</p>
      {!isCancelled && <ScheduledChange site={site} purchase={purchase} />}
      {mayChange && (
        <p>
          <a href={site.href(PAYWALL_PATH)}>{texts.changePlan}</a>
        </p>
      )}
      {units && (
        <p>
          <a href={site.href(CHANGE_PATH, { price: units.id })}>{texts.changeUnits}</a>
        </p>
      )}
      {mayCancel && (
        <p>
          <a href={site.href(CANCEL_PATH, { purchase: id })}>{texts.cancel}</a>
        </p>
      )}
    </section>
  )
}

/** The price of a subscription if it may have another number of units. */
function changeableUnits(site: Site, purchase: Purchase): Price | undefined {
  const price = site.structure.prices.find(({ id, per_unit: isPerUnit }) => isPerUnit && id === purchase.price_id)
  return price && changeableTo(site, price)?.id === purchase.id ? price : undefined
}

/** The change of plan that is scheduled, with a link to undo it. */
function ScheduledChange({ site, purchase }: Pick<PurchaseProps, 'site' | 'purchase'>) {
  const { texts, structure } = site
  const { scheduled_change: scheduled, price_id: current } = purchase
  if (!scheduled) return null
  const day = formatDate(scheduled.effective_at, site)
  const mayKeep = changeable(site)?.id === purchase.id && structure.prices.some(({ id }) => id === current)
  return (
    <>
      <p>{texts.planWillChange(priceLabel(site, scheduled), day)}</p>
      {mayKeep && current && (
        <p>
          <a href={site.href(CHANGE_PATH, { price: current })}>{texts.keepPlan(priceLabel(site, purchase))}</a>
        </p>
      )}
    </>
  )
}

/**
 * The label of the price, after the quantity unless that is 1; its slug if it is no longer sold, or the paywall's name if no price is known.
 */
export function priceLabel(
  { structure, text }: Site,
  { price_slug: slug, quantity }: Pick<Purchase, 'price_slug' | 'quantity'>,
): string {
  const label = text(structure.prices.find((price) => price.slug === slug)?.label ?? slug ?? structure.settings.name)
  return quantity === 1 ? label : `${quantity} × ${label}`
}

/** Whether a cancellation ends the purchase and its access immediately, or has already ended it. */
export const endsAtOnce = ({ status, acquiring }: Purchase): boolean =>
  status === 'canceled' ||
  (status === 'trialing' && DEFINITIONS[acquiring].capabilities.cancelledTrial === 'ends at once')

export const renews = (site: Site, purchase: Purchase): boolean =>
  purchase.interval !== null && !isOver(purchase) && !purchase.cancel_at_period_end && !isBeingReplaced(site, purchase)

/** When the purchase renews or ends, or why it does not. */
function describeEnd(site: Site, purchase: Purchase, isCancelled: boolean): Child {
  const { texts } = site
  const on = (time: string | null) => formatDate(time ?? purchase.created_at, site)
  if (purchase.interval === null || isOver(purchase)) return texts.boughtOn(on(purchase.created_at))
  if (isCancelled && endsAtOnce(purchase)) return texts.hasEnded
  const isReplaced = isBeingReplaced(site, purchase)
  const isPaidUp = purchase.status === 'active' || purchase.status === 'trialing'
  if (isReplaced && (!isPaidUp || endsAtOnce(purchase))) return texts.replaced
  if (isCancelled || isReplaced || purchase.cancel_at_period_end)
    return texts.endsOn(on(purchase.cancel_at ?? purchase.current_period_end))
  if (purchase.status === 'past_due') return texts.pastDue
  if (purchase.status === 'paused') return texts.paused
  if (purchase.status === 'pending') return texts.pendingPayment
  if (purchase.status === 'trialing') return texts.trialUntil(on(purchase.trial_end))
  return texts.renewsOn(on(purchase.current_period_end))
}
