// Where a processor sends browsers back to that knows one address for all its pages:
// 1. read the paywall's account, and have the signed address read: it names the purchase
// 2. fetch and store the purchase, which finds its checkout
// 3. send the browser to that checkout's way back, which goes on to the owner's page
import type { Context } from 'hono'
import { readAccount } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { loggable, placeOf } from '../../lib/http/place.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { ForgedEvent } from '../../lib/processors/event.ts'
import { catchUp, NO_EVENT, queuedBy } from '../../lib/purchases/catch-up.ts'
import { SignedParams, signedWords as words } from './contract.ts'

/** What read_account gives. */
type ReadAccountResult = { verdict: 'unknown_paywall' } | { verdict: 'found'; account: SealedAccount; now: string }

export async function followSignedReturn(c: Context<{ Bindings: Cloudflare.CheckoutReturnEnv }>): Promise<Response> {
  const path = SignedParams.safeParse(c.req.param())
  if (!path.success) throw refuse(words.unknown_processor)
  const { acquiring } = path.data
  const place = placeOf(c)
  if (!loggable(place.paywallId)) throw refuse(words.unknown_paywall)

  const db = connect(c.env)
  const row = await readAccount<ReadAccountResult>(db, { acquiring, ...place })
  if (row.verdict !== 'found') throw refuse(words[row.verdict])

  const { account, now: fetchedAt } = row
  using processor = processorFor(account, c.env)
  const about = await processor.readReturn(c.req.url).catch((cause) => {
    throw cause instanceof ForgedEvent ? new ApiError(...words.forged, { cause }) : cause
  })
  if (about === null) throw refuse(words.unknown_processor)
  const { stored } = await catchUp(db, processor, about, {
    ...NO_EVENT,
    paywallId: account.paywallId,
    fetchedAt,
  })
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, queuedBy(stored)))
  if (stored?.verdict !== 'stored') throw refuse(words.unknown_checkout)
  c.header('Cache-Control', 'no-store')
  return c.redirect(stored.way_back, 303)
}
