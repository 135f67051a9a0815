import type * as z from 'zod'
import { changeBalance } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { ChangeResult } from '../../lib/db/change-count.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { refuse } from '../../lib/http/errors.ts'
import { readOnce, unlessRepeatable } from '../../lib/http/once.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { type BalanceRefusal, Body, PATH, type Reply, saysCode, words } from './contract.ts'

/** What change_balance gives. */
type ChangeBalanceResult = ChangeResult<Exclude<BalanceRefusal, 'insufficient'>, z.output<typeof Reply>>

const app = createApp<Cloudflare.BalancesEnv>({ saysCode })

/** Owners only: a user's own token is as good as no key. */
app.post(PATH, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw refuse(words.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const onFault = keyFirst(c.env, { kind: 'owner', keyHash }, words)
  const place = placeOf(c)
  await checkPaywallId(c.req, place).catch(onFault)
  const body = await parseJson(c.req, Body).catch(onFault)
  const once = await readOnce(c.req, { endpoint: 'balances', ...body }).catch(onFault)
  const { op, amount, type, identity } = body
  const row = await changeBalance<ChangeBalanceResult>(connect(c.env), {
    keyHash,
    ...place,
    type,
    delta: op === 'credit' ? amount : -amount,
    ...identity,
    ...once,
  }).catch(unlessRepeatable(once))

  if (row.verdict === 'insufficient') throw refuse(words.insufficient, { available: row.available })
  if (row.verdict !== 'changed' && row.verdict !== 'replayed') throw refuse(words[row.verdict])
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json(row.reply, 200, row.verdict === 'replayed' ? { 'Idempotency-Replayed': 'true' } : {})
})

app.all(PATH, allowOnly('POST'))

export default app
