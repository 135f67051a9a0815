// Takes an offer off a subscription whose subscriber was about to cancel it:
// 1. reserve a use of the offer
// 2. give the subscription the discount at its processor. If that is refused, free the use; if the outcome is unknown, keep it for a retry
// 3. record that the use is taken. If that fails, a retry finds the discount at the processor
import type { Context } from 'hono'
import { claimStayOffer, settleStayOffer } from '../../generated/calls.ts'
import { readBearer } from '../../lib/auth/credential.ts'
import { bearerParameters } from '../../lib/auth/gate.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { requestCountry } from '../../lib/geo/country.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { paywallTarget } from '../../lib/http/paywall-target.ts'
import { log } from '../../lib/log/log.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/client.ts'
import type { Discount } from '../../lib/processors/discount.ts'
import { orderDiscount } from '../../lib/processors/processor.ts'
import { isKnownNotTaken } from './cancel-at-processor.ts'
import { StayBody, type StayRefusal, type StayReply, stayErrors } from './internal-contract.ts'

/** A subscription for which a use of an offer is reserved. */
interface Claim {
  purchase_id: string
  offer_id: string
  account: SealedAccount
  processor_id: string
  /** What a period costs for all units, in minor units. */
  amount: number
  discount: Discount
  processor_discount: string | null
}

type ClaimResult =
  | { verdict: Exclude<StayRefusal, 'invalid_offer'> }
  | { verdict: 'invalid_offer'; reason: string }
  | { verdict: 'accepted' }
  | { verdict: 'claimed'; claim: Claim }

const ACCEPTED: StayReply = { accepted: true }

export async function acceptStayOffer(c: Context<{ Bindings: Cloudflare.CancelSubscriptionEnv }>): Promise<Response> {
  const credential = await readBearer(c.req, c.env)
  if (credential.kind === 'none') throw apiError(stayErrors.no_credential)
  if (credential.kind === 'bad_token') throw apiError(stayErrors.bad_token)
  if (credential.anonymous) throw apiError(stayErrors.anonymous)
  const { subscriptionId, offer: offerId } = await parseJson(c.req, StayBody)

  const db = connect(c.env)
  const country = requestCountry(c.req.raw)
  const parameters = { ...paywallTarget(c), ...bearerParameters(credential), subscriptionId, offerId, country }
  const row = await claimStayOffer<ClaimResult>(db, parameters)
  if (row.verdict === 'accepted') return c.json(ACCEPTED)
  if (row.verdict === 'invalid_offer') {
    const [, , , message = ''] = stayErrors.invalid_offer
    throw apiError(stayErrors.invalid_offer, { message, reason: row.reason })
  }
  if (row.verdict !== 'claimed') throw apiError(stayErrors[row.verdict])
  if (!(await discountAtProcessor(db, c.env, row.claim))) throw apiError(stayErrors.discounted)
  return c.json(ACCEPTED)
}

/** Returns whether the subscription has the discount now. @throws ProcessorError */
async function discountAtProcessor(
  db: Database,
  env: Cloudflare.CancelSubscriptionEnv,
  { purchase_id: purchaseId, offer_id: offerId, account, processor_id: subscriptionId, amount, ...offer }: Claim,
): Promise<boolean> {
  const settle = (given: boolean) => record(settleStayOffer(db, { purchaseId, offerId, given }))
  using processor = processorFor(account, env)
  try {
    const use = `${purchaseId} ${offerId}`
    const discounted = { subscriptionId, amount, use, ...orderDiscount(offer, amount) }
    const result = await processor.discountSubscription(discounted)
    await settle(result === 'discounted')
    return result === 'discounted'
  } catch (error) {
    if (isKnownNotTaken(error)) await settle(false)
    throw error
  }
}

/** The caller gets the processor's result even if it cannot be recorded: a retry records it. */
async function record(writing: Promise<unknown>): Promise<void> {
  await writing.catch((cause) => log('error', 'result of an offer to stay not recorded', { cause }))
}
