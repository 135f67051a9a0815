import type * as z from 'zod'
import { changeBalance } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { apiError } from '../../lib/http/errors.ts'
import { onUnknownOutcome, readIdempotencyKey } from '../../lib/http/idempotency.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import type { ChangeResult } from '../../lib/tokens/add-tokens.ts'
import { type BalanceRefusal, Body, duplicateCode, errors, PATH, type Reply } from './contract.ts'

type ChangeBalanceResult = ChangeResult<Exclude<BalanceRefusal, 'insufficient'>, z.output<typeof Reply>>

const app = createApp<Cloudflare.BalancesEnv>({ duplicateCode })

/** Owners only: an access token counts as a missing key. */
app.post(PATH, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw apiError(errors.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, errors)
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)
  const body = await parseJson(c.req, Body).catch(rejectInvalidKey)
  const idempotency = await readIdempotencyKey(c.req, { endpoint: 'balances', ...body }).catch(rejectInvalidKey)
  const { op, amount, type, identity } = body
  const row = await changeBalance<ChangeBalanceResult>(connect(c.env), {
    keyHash,
    ...target,
    type,
    delta: op === 'credit' ? amount : -amount,
    ...identity,
    ...idempotency,
  }).catch(onUnknownOutcome(idempotency))

  if (row.verdict === 'insufficient') throw apiError(errors.insufficient, { available: row.available })
  if (row.verdict !== 'changed' && row.verdict !== 'replayed') throw apiError(errors[row.verdict])
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json(row.reply, 200, row.verdict === 'replayed' ? { 'Idempotency-Replayed': 'true' } : {})
})

app.all(PATH, allowOnly('POST'))

export default app
