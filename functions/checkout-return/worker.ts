// The return URL that processors redirect browsers to:
// 1. read the checkout
// 2. fetch its purchase and store it, so that the owner's page can show it; at most once in five seconds, because anybody may request this
//    URL repeatedly. If the processor is slow, this continues after the response
// 3. redirect with a 303 to `successUrl` or, if nothing was bought, `errorUrl`, with `__SESSION__` filled in. If a user chose that URL and
//    the owner does not list its origin, ask the buyer to confirm first
import { readCheckout } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { apiError } from '../../lib/http/errors.ts'
import { logPaywall, requestHost } from '../../lib/http/paywall-target.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { pageReference, type SaleRow } from '../../lib/purchases/page.ts'
import { confirmRedirect, renderBuyerError, UnknownCheckout } from './buyer-pages.ts'
import { errors, PATH, Params, SIGNED_PATH } from './contract.ts'
import { followSignedReturn } from './signed-return.ts'
import { type RequestContext, syncWithTimeout } from './sync-with-timeout.ts'

/** A hosted checkout that a browser returns from, and the account to query for its result. */
interface ReturningCheckout {
  id: string
  account: SealedAccount
  /** The processor's id of the hosted page; null until the page is open. */
  page_id: string | null
  /** What the page offered for sale. */
  sale: SaleRow
  success_url: string
  error_url: string
  /** Whether a user chose the URL and the owner does not list its origin: then the buyer must confirm the redirect. */
  success_is_foreign: boolean
  error_is_foreign: boolean
  completed: boolean
  /** Whether to query the processor for this request. */
  ask: boolean
  /** The paywall's time before the fetch, which becomes the snapshot's `fetched_at`. */
  now: string
}

type ReadCheckoutResult =
  | { verdict: 'unknown_checkout'; has_site: boolean }
  | ({ verdict: 'found' } & ReturningCheckout)

const app = createApp<Cloudflare.CheckoutReturnEnv>({ renderError: renderBuyerError })

app.get(PATH, async (c) => {
  const path = Params.safeParse(c.req.param())
  if (!path.success) throw apiError(errors.unknown_checkout)
  const { checkoutId, outcome } = path.data

  const db = connect(c.env)
  const checkout = await readCheckout<ReadCheckoutResult>(db, {
    checkoutId,
    host: requestHost(c),
    mayAsk: outcome === 'success',
  })
  if (checkout.verdict !== 'found') throw new UnknownCheckout({ hasSite: checkout.has_site })
  logPaywall(checkout.account.paywallId)

  const context: RequestContext = { db, env: c.env, waitUntil: (work) => c.executionCtx.waitUntil(work) }
  const bought = outcome === 'success' && (await isBought(context, checkout))
  const written = bought ? checkout.success_url : checkout.error_url
  const target = new URL(written.replaceAll('__SESSION__', checkout.id))
  c.header('Cache-Control', 'no-store')
  if (bought ? checkout.success_is_foreign : checkout.error_is_foreign) return confirmRedirect(c, target)
  return c.redirect(target.href, 303) // headers are ASCII only: `href` percent-encodes the rest
})

app.all(PATH, allowOnly('GET', 'HEAD'))

app.get(SIGNED_PATH, followSignedReturn)
app.all(SIGNED_PATH, allowOnly('GET', 'HEAD'))

/**
 * Whether to redirect to the success page: true unless the processor says that nothing was bought. A timeout counts as bought, and so does
 * a request for which the processor is not queried: the owner's page reads the purchase from us anyway.
 */
async function isBought(
  context: RequestContext,
  { account, sale, page_id: pageId, ask, now }: ReturningCheckout,
): Promise<boolean> {
  if (!ask || !pageId) return true
  const processor = processorFor(account, context.env)
  const about = pageReference(pageId, sale)
  const synced = await syncWithTimeout(context, processor, about, {
    paywallId: account.paywallId,
    fetchedAt: now,
  })
  if (!synced) return true
  const { stored, isUndecided } = synced
  return stored ? ['stored', 'repeated', 'outdated'].includes(stored.verdict) : isUndecided
}

export default app
