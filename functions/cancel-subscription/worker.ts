import type * as z from 'zod'
import { claimCancellation } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { callerParameters } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { refuse } from '../../lib/http/errors.ts'
import { ifUnknown } from '../../lib/http/once.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, hostOf, logPaywall, placeOf } from '../../lib/http/place.ts'
import { timeOf } from '../../lib/processors/account.ts'
import type { Cancellation } from '../../lib/processors/processor.ts'
import { cancelAtProcessor } from './cancel-at-processor.ts'
import type { ClaimedSubscription, ClaimResult } from './claimed-subscription.ts'
import { type CancelRequest, OwnerBody, PATH, type Reply, UserBody, words } from './contract.ts'

/** As long as cancellation_lease(): a claim that we do not know to be made refuses every repeat until it ends. */
const LEASE_SECONDS = 30

const app = createApp<Cloudflare.CancelSubscriptionEnv>()

app.post(PATH, async (c) => {
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw refuse(words.no_credential)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token, misplacedKey(c.req))
  const header = c.req.header('x-paywall-id')
  if (caller.kind === 'user') logPaywall(c, header)
  if (caller.kind === 'user' && caller.anonymous) throw refuse(words.anonymous)

  const onFault = keyFirst(c.env, caller, words)
  const request: CancelRequest & { paywallId: string | undefined } =
    caller.kind === 'owner'
      ? await parseJson(c.req, OwnerBody, (sent) => logPaywall(c, sent.paywallId)).catch(onFault)
      : { ...(await parseJson(c.req, UserBody)), paywallId: header }
  if (request.paywallId !== undefined) await checkPaywallId(c.req, placeOf(c, request.paywallId)).catch(onFault)

  const db = connect(c.env)
  const { cancellationReason: reason, ...target } = request
  const parameters = { ...target, ...callerParameters(caller), host: hostOf(c), reason }
  const row = await claimCancellation<ClaimResult>(db, parameters).catch(ifUnknown({ retryAfter: LEASE_SECONDS }))
  if (row.verdict === 'unknown_identity' && namesOf(request) > 1) throw refuse(words.mismatched_identity)
  if (row.verdict !== 'claimed') throw refuse(words[row.verdict])
  logPaywall(c, row.subscription.account.paywallId)

  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  const cancellation = await cancelAtProcessor(db, c.env, row.subscription, reason, later)
  return c.json(replyOf(row.subscription, cancellation))
})

app.all(PATH, allowOnly('POST'))

/** By how many names a request says whom it is about. */
const namesOf = ({ email, userId, externalId }: CancelRequest) =>
  [email, userId, externalId].filter((name) => name !== undefined).length

/** The subscription as it will be stored once its processor has told us of the cancellation. */
function replyOf(
  { id, account, current_period_end: periodEnd }: ClaimedSubscription,
  { status, cancelAt, canceledAt }: Cancellation,
): z.input<typeof Reply> {
  const hasEnded = status === 'canceled'
  const at = (canceledAt ?? timeOf(account)).toISOString()
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
const ENDED = 'Subscription is cancelled. It has ended, and so has the access that it gave'

export default app
