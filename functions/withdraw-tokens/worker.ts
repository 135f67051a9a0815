import type * as z from 'zod'
import { withdrawTokens } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { ChangeResult } from '../../lib/db/change-count.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { fill, refuse } from '../../lib/http/errors.ts'
import { readOnce, unlessRepeatable } from '../../lib/http/once.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, logPaywall, placeOf } from '../../lib/http/place.ts'
import { NamedBody, PATH, type Reply, type WithdrawRefusal, words } from './contract.ts'

/** What withdraw_tokens gives. */
type WithdrawResult = ChangeResult<Exclude<WithdrawRefusal, 'insufficient'>, z.output<typeof Reply>>

const app = createApp<Cloudflare.WithdrawTokensEnv>()

/** The older way to debit, for owners that have it built in; the paywall is named in the body. */
app.post(PATH, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw refuse(words.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const onFault = keyFirst(c.env, { kind: 'owner', keyHash }, words)
  const body = await parseJson(c.req, NamedBody, (sent) => logPaywall(c, sent.paywall_id)).catch(onFault)
  const place = placeOf(c, body.paywall_id)
  await checkPaywallId(c.req, place).catch(onFault)
  const once = await readOnce(c.req, { endpoint: 'withdraw-tokens', ...body }).catch(onFault)
  const row = await withdrawTokens<WithdrawResult>(connect(c.env), {
    keyHash,
    ...place,
    userId: body.user_id,
    externalId: body.external_id,
    type: body.token_type,
    tokens: body.tokens,
    ...once,
  }).catch(unlessRepeatable(once))

  if (row.verdict === 'insufficient') {
    throw refuse(words.insufficient, { available: row.available, requested: body.tokens })
  }
  if (row.verdict === 'unknown_type') throw refuse(fill(words.unknown_type, body.token_type))
  if (row.verdict !== 'changed' && row.verdict !== 'replayed') throw refuse(words[row.verdict])
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json(row.reply, 200, row.verdict === 'replayed' ? { 'Idempotency-Replayed': 'true' } : {})
})

app.all(PATH, allowOnly('POST'))

export default app
