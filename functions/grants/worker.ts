import type { HonoRequest } from 'hono'
import type * as z from 'zod'
import { createGrant, revokeGrant } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import type { GrantReply } from '../../lib/grants/grant.ts'
import { apiError } from '../../lib/http/errors.ts'
import { onUnknownOutcome, readIdempotencyKey } from '../../lib/http/idempotency.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import {
  Body,
  type CreateRefusal,
  createErrors,
  END_PATH,
  EndBody,
  type EndRefusal,
  endErrors,
  PATH,
} from './contract.ts'

/** `queued` is the number of queued deliveries. */
type Done<Verdict extends string> = { verdict: Verdict; reply: z.input<typeof GrantReply>; queued: number }
type CreateResult = { verdict: CreateRefusal } | Done<'granted' | 'replayed'>
type EndResult = { verdict: EndRefusal } | Done<'ended'>

const OUTCOME_UNKNOWN = "It is unknown whether access was granted: read the user's `grants` before you retry"

const app = createApp<Cloudflare.GrantsEnv>()

app.post(PATH, async (c) => {
  const keyHash = await readKeyHash(c.req)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, createErrors)
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)
  const body = await parseJson(c.req, Body).catch(rejectInvalidKey)
  const idempotency = await readIdempotencyKey(c.req, { endpoint: 'grants', ...body }).catch(rejectInvalidKey)
  const row = await createGrant<CreateResult>(connect(c.env), {
    keyHash,
    ...target,
    ...body.identity,
    ...body.grant,
    ...idempotency,
  }).catch(onUnknownOutcome(idempotency, OUTCOME_UNKNOWN))

  if (row.verdict !== 'granted' && row.verdict !== 'replayed') throw apiError(createErrors[row.verdict])
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json(row.reply, 200, row.verdict === 'replayed' ? { 'Idempotency-Replayed': 'true' } : {})
})

app.post(END_PATH, async (c) => {
  const keyHash = await readKeyHash(c.req)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, endErrors)
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)
  const { reason } = await parseJson(c.req, EndBody).catch(rejectInvalidKey)
  const grantId = c.req.param('grant')
  const row = await revokeGrant<EndResult>(connect(c.env), { keyHash, ...target, grantId, reason })
  if (row.verdict !== 'ended') throw apiError(endErrors[row.verdict])
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json(row.reply)
})

/** Owners only: an access token counts as a missing key. @throws ApiError 401 without a key */
async function readKeyHash(request: HonoRequest): Promise<string> {
  const key = request.header('x-api-key')
  if (key === undefined) throw apiError(createErrors.no_credential, misplacedKey(request))
  return sha256Hex(key)
}

app.all(PATH, allowOnly('POST'))
app.all(END_PATH, allowOnly('POST'))

export default app
