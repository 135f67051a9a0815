import { claimCheckout } from '../../generated/calls.ts'
import { readCredential } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { type Caller, callerParameters, type Place } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { ApiError, fill, refuse } from '../../lib/http/errors.ts'
import { placeOf } from '../../lib/http/place.ts'
import type { ClaimResult, DecidedResult } from './claimed-checkout.ts'
import { type CheckoutRequest, PATH, words } from './contract.ts'
import { openCheckout } from './open-checkout.ts'
import { recallReply, rememberReply } from './replies.ts'
import { readRequest } from './request.ts'

/** How long one try may hold the claim: longer than the processor client's own patience. A crash costs this much. */
type Lease = { holder: string; seconds: number }

const app = createApp<Cloudflare.StartCheckoutEnv>()

app.post(PATH, async (c) => {
  const place = placeOf(c)
  const caller = await readCredential(c.req, place.paywallId, c.env)
  if (caller.kind === 'none') throw refuse(words.no_credential)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token)

  const request = await readRequest(c, caller).catch(keyFirst(c.env, caller, words))
  const replies = c.env.CHECKOUT_REPLIES
  const remembered = await recallReply(replies, place, caller, request)
  if (remembered && remembered.hash !== request.hash) throw refuse(words.key_reused)
  if (remembered) return c.json(remembered.reply, 200, { 'Idempotency-Replayed': 'true' })

  const db = connect(c.env)
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  for (;;) {
    const lease = { holder: crypto.randomUUID(), seconds: c.env.CHECKOUT_LEASE_SECONDS }
    const row = await claimOrWait(db, caller, place, request, lease)
    // Not remembered in KV once more: there it would outlive its 24 hours.
    if (row.verdict === 'replay') return c.json(row.reply, 200, { 'Idempotency-Replayed': 'true' })
    if (row.verdict === 'missing_parameters') throw missing(caller, request, row)
    if (row.verdict === 'active_purchase') throw refuse(words.active_purchase, { hasActivePurchase: true })
    if (row.verdict !== 'claimed') throw refuse(words[row.verdict])

    const reply = await openCheckout(db, c.env, lease.holder, row.checkout, later)
    if (!reply) continue
    later(rememberReply(replies, place, caller, request, reply))
    return c.json(reply)
  }
})

app.all(PATH, allowOnly('POST'))

/** How long a duplicate waits for the first try's reply, and its first pause, which doubles. Milliseconds. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 1_200
/** By then a crashed try's lease is a good deal shorter, and a slow one has its answer. */
const RETRY_AFTER_SECONDS = 5

/** Claims the checkout; while another try holds it, asks again until there is a reply or the patience is used up. */
async function claimOrWait(
  db: Database,
  caller: Caller,
  place: Place,
  request: CheckoutRequest,
  lease: Lease,
): Promise<DecidedResult> {
  const parameters = { ...place, ...callerParameters(caller), asked: askedOf(request, lease) }
  const deadline = Date.now() + PATIENCE_MS
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const row = await claimCheckout<ClaimResult>(db, parameters)
    if (row.verdict !== 'in_progress') return row
    if (Date.now() > deadline) throw new ApiError(...words.in_progress, { retryAfter: RETRY_AFTER_SECONDS })
    await scheduler.wait(pause * (0.5 + Math.random()))
  }
}

/** A call as claim_checkout takes it. */
function askedOf(request: CheckoutRequest, lease: Lease) {
  return {
    caller: request.caller,
    key: request.key,
    has_key: request.hasKey,
    hash: request.hash,
    holder: lease.holder,
    lease_seconds: lease.seconds,
    email: request.email,
    price_id: request.priceId,
    success_url: request.successUrl,
    error_url: request.errorUrl,
    shop_url: request.shopUrl,
    trial_days: request.trialDays,
    ignore_active_purchase: request.ignoreActivePurchase,
    user_meta: request.userMeta,
    country: request.country,
    local_currency: request.localCurrency,
    return_origin: request.returnOrigin,
  }
}

/** Names what is missing, in the contract's order. */
function missing(caller: Caller, request: CheckoutRequest, row: { has_success_url: boolean; has_error_url: boolean }) {
  const names = [
    caller.kind === 'owner' && request.email === null && 'email',
    request.priceId === null && 'priceId',
    !row.has_success_url && 'successUrl',
    !row.has_error_url && 'errorUrl',
  ].filter(Boolean)
  return refuse(fill(words.missing_parameters, names.join(', ')))
}

export default app
