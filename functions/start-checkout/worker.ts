// Opens one hosted page per Idempotency-Key, however often it is called with it:
// 1. read the credential, the body and the key (request.ts)
// 2. if KV has the key's reply, replay it without the database (replies.ts)
// 3. claim the key, or wait for the reply of the attempt that holds it (claim-or-wait.ts)
// 4. open the page at the processor and record it (open-checkout.ts); if the claim was lost meanwhile, back to 3
// 5. after the response, store the reply in KV
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import type { Caller } from '../../lib/auth/gate.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { paywallTarget } from '../../lib/http/paywall-target.ts'
import { logSubject } from '../../lib/log/log.ts'
import type { PurchaseStatus } from '../../lib/processors/processor.ts'
import { claimOrWait } from './claim-or-wait.ts'
import { type CheckoutRequest, errors, OFFER_PROBLEMS, type OfferProblem, PATH } from './contract.ts'
import { showOfferByCode } from './find-offer-by-code.ts'
import { CODE_PATH } from './internal-contract.ts'
import { openCheckout } from './open-checkout.ts'
import { cacheReply, inOrder, readCachedReply } from './replies.ts'
import { readRequest } from './request.ts'

const app = createApp<Cloudflare.StartCheckoutEnv>()

app.post(PATH, async (c) => {
  const target = paywallTarget(c)
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw apiError(errors.no_credential)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))

  const request = await readRequest(c, caller, c.env).catch(rejectInvalidKeyFirst(c.env, caller, errors))
  const replies = c.env.CHECKOUT_REPLIES
  const cached = await readCachedReply(replies, target, caller, request)
  if (cached && cached.hash !== request.hash) throw apiError(errors.key_reused)
  if (cached) logSubject({ user_id: cached.reply.userId })
  if (cached) return c.json(inOrder(cached.reply), 200, { 'Idempotency-Replayed': 'true' })

  const db = connect(c.env)
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  for (;;) {
    const lease = { holder: crypto.randomUUID(), leaseSeconds: c.env.CHECKOUT_LEASE_SECONDS }
    const row = await claimOrWait(db, caller, target, request, lease)
    // Not stored in KV again: that would extend its 24 hours.
    if (row.verdict === 'replay') return c.json(inOrder(row.reply), 200, { 'Idempotency-Replayed': 'true' })
    if (row.verdict === 'missing_parameters') throw missing(caller, request, row)
    if (row.verdict === 'active_purchase') throw activePurchase(row)
    if (row.verdict === 'fixed_trial') throw fixedTrial(row)
    if (row.verdict === 'invalid_offer') throw invalidOffer(row)
    if (row.verdict === 'too_many_pages' || row.verdict === 'too_many_codes') {
      throw new ApiError(errors[row.verdict], { retryAfter: row.wait })
    }
    if (row.verdict !== 'claimed') throw apiError(errors[row.verdict])

    const reply = await openCheckout(db, c.env, lease.holder, row.checkout, later)
    if (!reply) continue
    later(cacheReply(replies, target, caller, request, reply))
    return c.json(inOrder(reply))
  }
})

app.post(CODE_PATH, showOfferByCode)

app.all(PATH, allowOnly('POST'))
app.all(CODE_PATH, allowOnly('POST'))

/** Includes the active purchase, so that a caller can show it, or redirect its buyer to the portal. */
function activePurchase({ purchase_id: purchaseId, status }: { purchase_id: string; status: PurchaseStatus }) {
  return apiError(errors.active_purchase, { hasActivePurchase: true, purchaseId, status })
}

function fixedTrial({ days }: { days: number }) {
  const lengths = days === 0 ? 'no trial for this price' : `a ${days}-day trial for this price, or none`
  return apiError(errors.fixed_trial, { message: `The processor only supports ${lengths}` })
}

function invalidOffer({ reason }: { reason: OfferProblem }) {
  return apiError(errors.invalid_offer, { message: OFFER_PROBLEMS[reason], reason })
}

/** The contract's error for missing parameters; `message` lists them in the contract's order. */
function missing(caller: Caller, request: CheckoutRequest, row: { has_success_url: boolean; has_error_url: boolean }) {
  const isOwner = caller.kind === 'owner'
  const order = [
    isOwner && request.email === null && !request.externalId && 'email',
    request.priceId === null && 'priceId',
  ].filter(Boolean)
  const targets = [!row.has_success_url && 'successUrl', !row.has_error_url && 'errorUrl'].filter(Boolean)
  const error = isOwner ? errors.missing_parameters : errors.missing_price
  return apiError(order.length > 0 ? error : errors.missing_targets, {
    message: `Missing: ${[...order, ...targets].join(', ')}`,
  })
}

export default app
