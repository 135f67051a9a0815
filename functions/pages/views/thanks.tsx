import { WAITING_PATH } from '../../../generated/page-assets.ts'
import { hasArrived } from '../arrived.ts'
import { CANCEL_PATH, PAYWALL_PATH } from '../contract.ts'
import type { Site } from '../site.ts'
import type { Purchase } from '../structure.ts'
import { Bought } from './bought.tsx'
import { sitePage } from './layout.tsx'
import { AccountButton } from './links.tsx'
import { Notice } from './notice.tsx'
import { priceLabel, renews } from './purchase.tsx'

/** How often a browser without scripts reloads the page, in seconds. */
const RELOAD_SECONDS = 5

/**
 * Thanks the buyer, or shows that the payment is being processed if no webhook has confirmed it yet. `before`: the id of the latest purchase
 * before this one, if it is known.
 */
export function thanksPage(site: Site, before?: string) {
  const { texts, user, token } = site
  if (token && !(user && hasArrived(user, before))) return pendingPage(site)
  return sitePage(site, {
    title: texts.thanks,
    children: (
      <>
        <h1>{texts.thanks}</h1>
        <p>{user ? texts.thanksText : texts.thanksSignedOut}</p>
        {olderSubscriptions(site).map((purchase) => (
          <Notice
            kind="news"
            text={texts.otherSubscriptionRenews(priceLabel(site, purchase))}
            link={{ href: site.href(CANCEL_PATH, { purchase: purchase.id }), text: texts.cancel }}
          />
        ))}
        {site.embedder ? <Bought site={site} purchase={user?.purchases[0]} /> : <AccountButton site={site} />}
      </>
    ),
  })
}

/** Subscriptions that still renew beside the latest purchase. That one comes first in the list. */
const olderSubscriptions = (site: Site): Purchase[] =>
  (site.user?.purchases ?? []).slice(1).filter((purchase) => renews(site, purchase))

/** Polls for the purchase: with a script, which gives up after a while, or by reloading the page. */
function pendingPage(site: Site) {
  const { texts } = site
  return sitePage(site, {
    title: texts.pending,
    head: (
      <>
        <script type="module" src={WAITING_PATH} />
        <noscript>
          <meta http-equiv="refresh" content={String(RELOAD_SECONDS)} />
        </noscript>
      </>
    ),
    children: (
      <>
        <h1>{texts.pending}</h1>
        <p role="status">
          <span data-wait="pending">{texts.pendingText}</span>
          <span data-wait="long" hidden>
            {texts.pendingLong}
          </span>
        </p>
        <p>
          <a href={site.href(PAYWALL_PATH)}>{texts.backTo(site.structure.settings.name)}</a>
        </p>
      </>
    ),
  })
}
