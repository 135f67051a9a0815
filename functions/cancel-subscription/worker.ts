import type * as z from 'zod'
import { claimCancellation } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { callerParameters } from '../../lib/auth/gate.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { apiError } from '../../lib/http/errors.ts'
import { reportUnknownOutcome } from '../../lib/http/idempotency.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, logPaywall, paywallTarget, requestHost } from '../../lib/http/paywall-target.ts'
import { accountTime } from '../../lib/processors/account.ts'
import type { Cancellation } from '../../lib/processors/processor.ts'
import { acceptStayOffer } from './accept-stay-offer.ts'
import { cancelAtProcessor } from './cancel-at-processor.ts'
import type { ClaimedSubscription, ClaimResult } from './claimed-subscription.ts'
import { type CancelRequest, errors, OwnerBody, PATH, type Reply, UserBody } from './contract.ts'
import { STAY_PATH } from './internal-contract.ts'

/** Equals cancellation_lease(): if it is unknown whether the claim was made, every retry may be refused until the lease expires. */
const LEASE_SECONDS = 30

const app = createApp<Cloudflare.CancelSubscriptionEnv>()

app.post(PATH, async (c) => {
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw apiError(errors.no_credential)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  const header = c.req.header('x-paywall-id')
  if (caller.kind === 'user') logPaywall(header)
  if (caller.kind === 'user' && caller.anonymous) throw apiError(errors.anonymous)

  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, caller, errors)
  const request: CancelRequest & { paywallId: string | undefined } =
    caller.kind === 'owner'
      ? await parseJson(c.req, OwnerBody, (sent) => logPaywall(sent.paywallId)).catch(rejectInvalidKey)
      : { ...(await parseJson(c.req, UserBody)), paywallId: header }
  if (request.paywallId !== undefined)
    await checkPaywallId(c.req, paywallTarget(c, request.paywallId)).catch(rejectInvalidKey)

  const db = connect(c.env)
  const { cancellationReason: reason, ...target } = request
  const parameters = { ...target, ...callerParameters(caller), host: requestHost(c), reason }
  const row = await claimCancellation<ClaimResult>(db, parameters).catch(
    reportUnknownOutcome({ retryAfter: LEASE_SECONDS }),
  )
  if (row.verdict === 'unknown_identity' && countNames(request) > 1) throw apiError(errors.mismatched_identity)
  if (row.verdict !== 'claimed') throw apiError(errors[row.verdict])
  logPaywall(row.subscription.account.paywallId)

  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  const cancellation = await cancelAtProcessor(db, c.env, row.subscription, reason, later)
  return c.json(toReply(row.subscription, cancellation))
})

app.post(STAY_PATH, acceptStayOffer)

app.all(PATH, allowOnly('POST'))
app.all(STAY_PATH, allowOnly('POST'))

/** The number of identifiers by which a request names the user. */
const countNames = ({ email, userId, externalId }: CancelRequest) =>
  [email, userId, externalId].filter((name) => name !== undefined).length

/** The subscription as it will be stored once its processor has reported the cancellation. */
function toReply(
  { id, account, current_period_end: periodEnd }: ClaimedSubscription,
  { status, cancelAt, canceledAt }: Cancellation,
): z.input<typeof Reply> {
  const hasEnded = status === 'canceled'
  const at = (canceledAt ?? accountTime(account)).toISOString()
  return {
    success: true,
    message: hasEnded ? ENDED : WILL_END,
    subscription: {
      id,
      status,
      cancel_at_period_end: true,
      cancel_at: hasEnded ? at : (cancelAt?.toISOString() ?? periodEnd),
      canceled_at: at,
    },
  }
}

const WILL_END = 'Subscription will be cancelled at the end of the current billing period'
const ENDED = 'Subscription is cancelled. It has ended, and so has access'

export default app
