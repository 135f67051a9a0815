// Where processors send the browser back to:
// 1. read the checkout
// 2. fetch its purchase and store it, so that it is visible on the owner's page, once in five seconds at most: anybody may
//    call this again and again. If the processor is slow, this goes on after the response
// 3. send the browser on with a 303: to `successUrl` or, if nothing was bought, `errorUrl`, with `__SESSION__` filled in
import { readCheckout } from '../../generated/calls.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { refuse } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { hostOf, logPaywall } from '../../lib/http/place.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { catchUp, NO_EVENT, queuedBy } from '../../lib/purchases/catch-up.ts'
import { pageReference } from '../../lib/purchases/page.ts'
import { PATH, Params, SIGNED_PATH, words } from './contract.ts'
import type { ReadCheckoutResult, ReturningCheckout } from './returning-checkout.ts'
import { followSignedReturn } from './signed-return.ts'

/** How long the browser may be kept waiting for the processor, in milliseconds; then the webhook catches up. */
const TIMEOUT_MS = 2_500

const app = createApp<Cloudflare.CheckoutReturnEnv>()

app.get(PATH, async (c) => {
  const path = Params.safeParse(c.req.param())
  if (!path.success) throw refuse(words.unknown_checkout)
  const { checkoutId, outcome } = path.data

  const db = connect(c.env)
  const checkout = await readCheckout<ReadCheckoutResult>(db, {
    checkoutId,
    host: hostOf(c),
    mayAsk: outcome === 'success',
  })
  if (checkout.verdict !== 'found') throw refuse(words[checkout.verdict])
  logPaywall(c, checkout.account.paywallId)

  const bought = outcome === 'success' && (await isBought(db, c.env, c.executionCtx, checkout))
  const target = (bought ? checkout.success_url : checkout.error_url).replaceAll('__SESSION__', checkout.id)
  c.header('Cache-Control', 'no-store')
  return c.redirect(new URL(target).href, 303) // a header takes ASCII only: `href` percent-encodes the rest
})

app.all(PATH, allowOnly('GET', 'HEAD'))

app.get(SIGNED_PATH, followSignedReturn)
app.all(SIGNED_PATH, allowOnly('GET', 'HEAD'))

/**
 * Whether the browser goes on to the success page: unless the processor says that nothing was bought. No response in time
 * counts as bought, and so does one for which nobody is asked: the owner's page reads the purchase from us anyway.
 */
async function isBought(
  db: Database,
  env: Cloudflare.CheckoutReturnEnv,
  context: Pick<ExecutionContext, 'waitUntil'>,
  checkout: ReturningCheckout,
): Promise<boolean> {
  if (!checkout.ask || !checkout.page_id) return true
  const caughtUp = look(db, env, context, checkout, checkout.page_id).catch((cause) => {
    log('warn', 'a returning browser goes on before its purchase is stored', { checkout_id: checkout.id, cause })
    return true
  })
  context.waitUntil(caughtUp)
  return Promise.race([caughtUp, scheduler.wait(TIMEOUT_MS).then(() => true)])
}

/** Fetches what the hosted page led to and stores it. False if nothing was, or can be, bought on it. */
async function look(
  db: Database,
  env: Cloudflare.CheckoutReturnEnv,
  context: Pick<ExecutionContext, 'waitUntil'>,
  { account, sale, now }: ReturningCheckout,
  pageId: string,
): Promise<boolean> {
  using processor = processorFor(account, env)
  const about = pageReference(pageId, sale)
  const { stored, isUndecided } = await catchUp(db, processor, about, {
    ...NO_EVENT,
    paywallId: account.paywallId,
    fetchedAt: now,
  })
  context.waitUntil(wakeDeliverEvents(env, queuedBy(stored)))
  if (stored?.verdict === 'second_trial') return false
  return stored !== null || isUndecided
}

export default app
