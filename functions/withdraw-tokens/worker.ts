import type * as z from 'zod'
import { withdrawTokens } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { apiError, interpolate } from '../../lib/http/errors.ts'
import { onUnknownOutcome, readIdempotencyKey } from '../../lib/http/idempotency.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, logPaywall, paywallTarget } from '../../lib/http/paywall-target.ts'
import type { ChangeResult } from '../../lib/tokens/add-tokens.ts'
import { errors, NamedBody, PATH, type Reply, type WithdrawRefusal } from './contract.ts'

/** The result of withdraw_tokens. */
type WithdrawResult = ChangeResult<Exclude<WithdrawRefusal, 'insufficient'>, z.output<typeof Reply>>

const app = createApp<Cloudflare.WithdrawTokensEnv>()

/** The legacy endpoint for debits; the paywall is named in the body. */
app.post(PATH, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw apiError(errors.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, errors)
  const body = await parseJson(c.req, NamedBody, (sent) => logPaywall(sent.paywall_id)).catch(rejectInvalidKey)
  const target = paywallTarget(c, body.paywall_id)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)
  const idempotency = await readIdempotencyKey(c.req, { endpoint: 'withdraw-tokens', ...body }).catch(rejectInvalidKey)
  const row = await withdrawTokens<WithdrawResult>(connect(c.env), {
    keyHash,
    ...target,
    userId: body.user_id,
    externalId: body.external_id,
    type: body.token_type,
    tokens: body.tokens,
    ...idempotency,
  }).catch(onUnknownOutcome(idempotency))

  if (row.verdict === 'insufficient') {
    throw apiError(errors.insufficient, { available: row.available, requested: body.tokens })
  }
  if (row.verdict === 'unknown_type') throw apiError(interpolate(errors.unknown_type, body.token_type))
  if (row.verdict !== 'changed' && row.verdict !== 'replayed') throw apiError(errors[row.verdict])
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json(row.reply, 200, row.verdict === 'replayed' ? { 'Idempotency-Replayed': 'true' } : {})
})

app.all(PATH, allowOnly('POST'))

export default app
