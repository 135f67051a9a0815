import { toMajorUnits } from '../../../lib/money/money.ts'
import { ACCOUNT_PATH, CHANGE_PATH, PAYWALL_PATH } from '../contract.ts'
import { formatCycle, formatDate, formatMoney } from '../formats.ts'
import type { Change, Preview } from '../plan-change.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'
import { Bought } from './bought.tsx'
import { sitePage } from './layout.tsx'
import { AccountButton, OwnerLinks } from './links.tsx'
import { Notice } from './notice.tsx'
import { priceLabel } from './purchase.tsx'
import { UnitsInput } from './units.tsx'

interface Shown extends Change {
  preview: Preview
  /** The form's id, which makes a double submit idempotent. */
  key: string
  problem?: string | undefined
}

/** Shows what a change of plan costs now and later, and asks for a confirmation. */
export function changePage(site: Site, { purchase, price, keepsPlan, preview, key, problem }: Shown) {
  const { texts } = site
  const { quantity } = preview.to
  const [from, to] = [priceLabel(site, purchase), priceLabel(site, { price_slug: price.slug, quantity })]
  const title = keepsPlan ? texts.keepPlan(to) : texts.changeTo(to)
  return sitePage(site, {
    title,
    children: (
      <>
        <h1>{title}</h1>
        {problem && <Notice kind="problem" text={problem} />}
        {price.per_unit && !keepsPlan && <UnitsForm site={site} price={price} units={quantity} />}
        <form class="card" method="post" action={site.href(CHANGE_PATH, { price: price.id })}>
          {!keepsPlan && <p>{texts.fromTo(from, to)}</p>}
          <Terms site={site} purchase={purchase} preview={preview} keepsPlan={keepsPlan} />
          <input type="hidden" name="price" value={price.id} />
          {price.per_unit && <input type="hidden" name="quantity" value={quantity} />}
          <input type="hidden" name="keeps" value={keepsPlan ? 'yes' : ''} />
          <input type="hidden" name="quote" value={preview.quote} />
          <input type="hidden" name="key" value={key} />
          <div class="row">
            <button type="submit" class="primary">
              {keepsPlan ? texts.keepPlan(to) : buttonText(site, preview)}
            </button>
            {keepsPlan ? (
              <a href={site.href(ACCOUNT_PATH)}>{texts.account}</a>
            ) : (
              <a href={site.href(PAYWALL_PATH)}>{texts.keepPlan(from)}</a>
            )}
          </div>
          <OwnerLinks site={site} names={['terms', 'privacy']} />
        </form>
      </>
    ),
  })
}

/** Asks how many units of a subscription's own price there should be. */
export function unitsPage(site: Site, { purchase, price }: Change) {
  const { texts } = site
  return sitePage(site, {
    title: texts.changeUnits,
    children: (
      <>
        <h1>{texts.changeUnits}</h1>
        <p>{priceLabel(site, purchase)}</p>
        <UnitsForm site={site} price={price} units={purchase.quantity} />
        <p>
          <a href={site.href(ACCOUNT_PATH)}>{texts.account}</a>
        </p>
      </>
    ),
  })
}

/** Shows what the change costs with another number of units. */
function UnitsForm({ site, price, units }: { site: Site; price: Price; units: number }) {
  const chosen = new URL(site.absolute(site.href(CHANGE_PATH))).searchParams.get('locale')
  return (
    <form class="card units" method="get" action={site.href(CHANGE_PATH)}>
      {chosen !== null && <input type="hidden" name="locale" value={chosen} />}
      <input type="hidden" name="price" value={price.id} />
      <UnitsInput site={site} name="quantity" units={units} />
      <button type="submit">{site.texts.showTotal}</button>
    </form>
  )
}

function buttonText(site: Site, { due_now: due, when, effective_at: day }: Preview): string {
  const { texts } = site
  if (when === 'period_end') return texts.changeOn(formatDate(day, site))
  return due.amount > 0 ? texts.payAndChange(money(site, due)) : texts.changeNow
}

/** Formats an amount in minor units. */
const money = ({ tag }: Pick<Site, 'tag'>, { amount, currency }: Preview['due_now']) =>
  formatMoney(toMajorUnits(amount, currency), currency, { tag })

/** What is charged today and later, and what else the change does. */
function Terms({
  site,
  purchase,
  preview,
  keepsPlan,
}: { site: Site } & Pick<Shown, 'purchase' | 'preview' | 'keepsPlan'>) {
  const { texts } = site
  const { to, when, effective_at: day, due_now: due, credit, next, estimate, undoes_cancellation: undoes } = preview
  const price = `${money(site, { amount: to.unit_amount * to.quantity, currency: to.currency })} ${formatCycle(to, site)}`
  const endsTrial = purchase.status === 'trialing' && due.amount > 0
  const lines = [
    keepsPlan && purchase.scheduled_change && texts.planUnscheduled(priceLabel(site, purchase.scheduled_change)),
    !keepsPlan && when === 'period_end' && texts.planUntil(priceLabel(site, purchase), formatDate(day, site)),
    texts.dueToday(money(site, due)),
    credit.amount > 0 && texts.creditIncluded(money(site, credit)),
    endsTrial && texts.trialEndsNow,
    texts.nextPayment(money(site, next), formatDate(next.at, site)),
    texts.renewsUntilCancelled(price),
    undoes && texts.renewsAgain,
    estimate && texts.isEstimate,
  ]
  return <ul class="terms">{lines.map((line) => line && <li>{line}</li>)}</ul>
}

/** `pending`: the difference is being collected. */
type Made = Change & Pick<Preview, 'when'> & { pending: boolean }

function changedTitle(site: Site, { purchase, price, keepsPlan, quantity, when, pending }: Made): string {
  const { texts } = site
  const label = priceLabel(site, { price_slug: price.slug, quantity: quantity ?? 1 })
  const end = purchase.current_period_end
  if (keepsPlan) return texts.planKept(label)
  if (pending) return texts.planPending(label)
  return when === 'period_end' && end ? texts.planWillChange(label, formatDate(end, site)) : texts.planChanged(label)
}

/** Confirms the change. In a dialog, one that is made reports the subscription at its new price and quantity. */
export function changedPage(site: Site, made: Made) {
  const { texts } = site
  const { purchase, price, keepsPlan, quantity = 1, when, pending } = made
  const title = changedTitle(site, made)
  const isBought = when === 'now' && !pending && !keepsPlan
  return sitePage(site, {
    title,
    children: (
      <>
        <h1>{title}</h1>
        {pending && <p>{texts.planPendingHint}</p>}
        {site.embedder && isBought ? (
          <Bought site={site} purchase={{ ...purchase, price_id: price.id, price_slug: price.slug, quantity }} />
        ) : (
          <AccountButton site={site} />
        )}
      </>
    ),
  })
}
