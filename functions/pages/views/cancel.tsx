import { CANCELLATION_REASON_LENGTH } from '../../../lib/http/input-limits.ts'
import { toMajorUnits } from '../../../lib/money/money.ts'
import { ACCOUNT_PATH, CANCEL_PATH } from '../contract.ts'
import { type Deal, dealToStay, periodAmount, stayText } from '../deal.ts'
import { formatCycle, formatDate, formatMoney, formatPrice, localAmount } from '../formats.ts'
import { availability } from '../sale.ts'
import type { Site } from '../site.ts'
import { isOwnOffer, type Price, type Purchase } from '../structure.ts'
import { EN } from '../texts/en.ts'
import { ChangeLink } from './change-link.tsx'
import { sitePage } from './layout.tsx'
import { AccountButton } from './links.tsx'
import { Notice } from './notice.tsx'
import { endsAtOnce, priceLabel } from './purchase.tsx'

export type Reason = keyof typeof EN.reasons

/** The chosen reason is sent before the comment. */
const COMMENT_LENGTH = CANCELLATION_REASON_LENGTH - 100

const REASONS = Object.keys(EN.reasons).filter(isReason)

export function isReason(text: string): text is Reason {
  return Object.hasOwn(EN.reasons, text)
}

interface Shown {
  purchase: Purchase
  /** The form's id, which makes a double submit of the switch idempotent. */
  key: string
  /** The reason chosen and the comment written before an error. */
  reason: string
  comment: string
  problem?: string
}

/** The offer shown to a subscriber before cancelling, with its price; undefined if there is none. */
export function offerBeforeCancel({ structure, text }: Site): { title: string; price: Price } | undefined {
  const offer = structure.offers.filter(isOwnOffer).find(({ show }) => show === 'cancel')
  const price = structure.prices.find(({ slug }) => slug === offer?.price)
  if (!offer || !price) return undefined
  return { title: text(typeof offer.title === 'string' ? offer.title : price.label), price }
}

/** Asks for the reason, and says when access ends. */
export function cancelPage(site: Site, { purchase, key, reason, comment, problem }: Shown) {
  const { texts } = site
  const title = texts.cancelTitle(priceLabel(site, purchase))
  const end = purchase.current_period_end
  return sitePage(site, {
    title,
    children: (
      <>
        <h1>{title}</h1>
        {problem && <Notice kind="problem" text={problem} />}
        <DiscountToStay site={site} purchase={purchase} />
        <OfferToStay site={site} purchase={purchase} formKey={key} />
        <form class="card" method="post" action={site.href(CANCEL_PATH, { purchase: purchase.id })}>
          {endsAtOnce(purchase) ? (
            <p>{texts.cancelAtOnceText}</p>
          ) : (
            end && <p>{texts.cancelText(formatDate(end, site))}</p>
          )}
          <input type="hidden" name="purchase" value={purchase.id} />
          <fieldset>
            <legend>{texts.whyCancel}</legend>
            {REASONS.map((each) => (
              <label class="check">
                <input type="radio" name="reason" value={each} checked={each === reason} required />
                {texts.reasons[each]}
              </label>
            ))}
          </fieldset>
          <label>
            {texts.cancellationComment}
            <textarea name="comment" rows={3} maxlength={COMMENT_LENGTH}>
              {comment}
            </textarea>
          </label>
          <div class="row">
            <button type="submit" class="danger" name="action" value="cancel">
              {texts.cancelNow}
            </button>
            <a href={site.href(ACCOUNT_PATH)}>{texts.keepIt}</a>
          </div>
        </form>
      </>
    ),
  })
}

/**
 * The owner's offer to a subscriber who stays: to change to its price, or, where the plan cannot be changed, a purchase that replaces the
 * subscription. If the visitor already has that price, it only offers to keep the subscription.
 */
function OfferToStay({ site, purchase, formKey }: { site: Site; purchase: Purchase; formKey: string }) {
  const { texts } = site
  const offer = offerBeforeCancel(site)
  if (!offer || dealToStay(site, purchase)) return null
  const { title, price } = offer
  const isSame = price.slug === purchase.price_slug
  const mayChange = availability(site, price) === 'change' && localAmount(price).currency === purchase.currency
  return (
    <section class="card offer" aria-labelledby="offer">
      <p class="soft">{texts.beforeYouGo}</p>
      <h2 id="offer">{title}</h2>
      <p>
        {site.text(price.label)}: {formatPrice(price, site)}
      </p>
      {isSame ? (
        <p>
          <a class="button primary" href={site.href(ACCOUNT_PATH)}>
            {texts.keepIt}
          </a>
        </p>
      ) : mayChange ? (
        <ChangeLink site={site} price={price} />
      ) : (
        <form method="post" action={site.href(CANCEL_PATH, { purchase: purchase.id })}>
          <input type="hidden" name="purchase" value={purchase.id} />
          <input type="hidden" name="key" value={formKey} />
          <button type="submit" class="primary" name="action" value="switch">
            {texts.add(site.text(price.label))}
          </button>
          <p class="hint">{texts.addHint}</p>
        </form>
      )}
    </section>
  )
}

/** The offer to keep the subscription for less. */
function DiscountToStay({ site, purchase }: { site: Site; purchase: Purchase }) {
  const { texts } = site
  const deal = dealToStay(site, purchase)
  if (!deal) return null
  return (
    <section class="card offer" aria-labelledby="stay">
      <p class="soft">{texts.beforeYouGo}</p>
      <h2 id="stay">{site.text(deal.offer.title)}</h2>
      <p class="price-amount">
        <span class="unseen">{texts.regularPrice} </span>
        <s>{formatMoney(toMajorUnits(periodAmount(purchase), purchase.currency), purchase.currency, site)}</s>{' '}
        <span class="unseen">{texts.offerPrice} </span>
        <strong>{formatMoney(deal.reduced, purchase.currency, site)}</strong> {formatCycle(purchase, site)}
      </p>
      <p>{stayTerms(site, { purchase, deal })}</p>
      <form method="post" action={site.href(CANCEL_PATH, { purchase: purchase.id })}>
        <input type="hidden" name="purchase" value={purchase.id} />
        <input type="hidden" name="offer" value={stayText(deal)} />
        <button type="submit" class="primary" name="action" value="stay">
          {texts.stayAt(formatMoney(deal.reduced, purchase.currency, site))}
        </button>
        <p class="hint">{texts.stayHint}</p>
      </form>
    </section>
  )
}

interface Stay {
  purchase: Purchase
  deal: Deal
}

/** What is charged from when on, and for how long. */
function stayTerms(site: Site, { purchase, deal: { offer, reduced } }: Stay): string {
  const { currency, interval, interval_count: count, current_period_end: end } = purchase
  const { texts } = site
  const { periods = 'forever' } = offer.discount
  const per = (each: number) => `${formatMoney(each, currency, site)} ${formatCycle(purchase, site)}`
  const day = formatDate(end ?? purchase.created_at, site)
  return interval === null || periods === 'forever'
    ? texts.stayPriceForEver(per(reduced), day)
    : texts.stayPrice(
        per(reduced),
        interval,
        periods * (count ?? 1),
        per(toMajorUnits(periodAmount(purchase), currency)),
        day,
      )
}

/** Confirms that the subscription continues for less. */
export function stayedPage(site: Site, stay: Stay) {
  const { texts } = site
  return sitePage(site, {
    title: texts.stayed,
    children: (
      <>
        <h1>{texts.stayed}</h1>
        <p>{texts.stayedText}</p>
        <p>{stayTerms(site, stay)}</p>
        <AccountButton site={site} />
      </>
    ),
  })
}
