// Opens one hosted page for each Idempotency-Key, however often it is called with it:
// 1. read the credential, the body and the key (request.ts)
// 2. if KV has the reply to this key, give it again, without the database (replies.ts)
// 3. claim the key, or wait for the reply of the attempt that has it (claim-or-wait.ts)
// 4. open the page at the processor and record it (open-checkout.ts); if the claim was lost meanwhile, back to 3
// 5. after the response, keep the reply in KV
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import type { Caller } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { placeOf } from '../../lib/http/place.ts'
import type { PurchaseStatus } from '../../lib/processors/processor.ts'
import { claimOrWait } from './claim-or-wait.ts'
import { type CheckoutRequest, PATH, words } from './contract.ts'
import { openCheckout } from './open-checkout.ts'
import { inOrder, recallReply, rememberReply } from './replies.ts'
import { readRequest } from './request.ts'

const app = createApp<Cloudflare.StartCheckoutEnv>()

app.post(PATH, async (c) => {
  const place = placeOf(c)
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw refuse(words.no_credential)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token, misplacedKey(c.req))

  const request = await readRequest(c, caller, c.env).catch(keyFirst(c.env, caller, words))
  const replies = c.env.CHECKOUT_REPLIES
  const remembered = await recallReply(replies, place, caller, request)
  if (remembered && remembered.hash !== request.hash) throw refuse(words.key_reused)
  if (remembered) return c.json(inOrder(remembered.reply), 200, { 'Idempotency-Replayed': 'true' })

  const db = connect(c.env)
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  for (;;) {
    const lease = { holder: crypto.randomUUID(), leaseSeconds: c.env.CHECKOUT_LEASE_SECONDS }
    const row = await claimOrWait(db, caller, place, request, lease)
    // Not stored in KV again: its 24 hours would begin anew.
    if (row.verdict === 'replay') return c.json(inOrder(row.reply), 200, { 'Idempotency-Replayed': 'true' })
    if (row.verdict === 'missing_parameters') throw missing(caller, request, row)
    if (row.verdict === 'active_purchase') throw activePurchase(row)
    if (row.verdict === 'fixed_trial') throw fixedTrial(row)
    if (row.verdict === 'too_many_pages') throw new ApiError(...words.too_many_pages, { retryAfter: row.wait })
    if (row.verdict !== 'claimed') throw refuse(words[row.verdict])

    const reply = await openCheckout(db, c.env, lease.holder, row.checkout, later)
    if (!reply) continue
    later(rememberReply(replies, place, caller, request, reply))
    return c.json(inOrder(reply))
  }
})

app.all(PATH, allowOnly('POST'))

/** Names the purchase that is in the way, so that a caller can show it, or send its buyer to the portal. */
function activePurchase({ purchase_id: purchaseId, status }: { purchase_id: string; status: PurchaseStatus }) {
  return refuse(words.active_purchase, { hasActivePurchase: true, purchaseId, status })
}

function fixedTrial({ days }: { days: number }) {
  const lengths = days === 0 ? 'no trial for this price' : `a trial of ${days} days for this price, or none`
  return refuse(words.fixed_trial, { message: `The processor gives ${lengths}` })
}

/** Says in the contract's words that something is missing, and in `message` what, in the contract's order. */
function missing(caller: Caller, request: CheckoutRequest, row: { has_success_url: boolean; has_error_url: boolean }) {
  const isOwner = caller.kind === 'owner'
  const order = [
    isOwner && request.email === null && !request.externalId && 'email',
    request.priceId === null && 'priceId',
  ].filter(Boolean)
  const targets = [!row.has_success_url && 'successUrl', !row.has_error_url && 'errorUrl'].filter(Boolean)
  const said = isOwner ? words.missing_parameters : words.missing_price
  return refuse(order.length > 0 ? said : words.missing_targets, {
    message: `Missing: ${[...order, ...targets].join(', ')}`,
  })
}

export default app
