// Moves a subscription to another price:
// 1. read the credential, the body and the Idempotency-Key
// 2. a preview: store what would change, get its cost from the processor, and return that as a quote (preview.ts)
// 3. a change: claim the key, or wait for the reply of the attempt that holds it. Then change the plan at the processor and record the
//    reply (change-at-processor.ts)
import type { Context } from 'hono'
import { claimPlanChange } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { type Caller, callerParameters } from '../../lib/auth/gate.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { canonicalHash } from '../../lib/crypto/canonical.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseIdempotencyKey, parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { untilDecided } from '../../lib/http/until-decided.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { changeAtProcessor } from './change-at-processor.ts'
import { type ChangeRequest, errors, OwnerBody, PATH, UserBody } from './contract.ts'
import { previewChange } from './preview.ts'
import type { ClaimResult } from './requested-change.ts'
import { toError } from './to-error.ts'

/** Which processors can change the plan of a subscription, and when: see `Capabilities`. */
const CAPABILITIES = Object.fromEntries(
  PROCESSOR_NAMES.map((name) => {
    const { changesPlan, schedulesPlanChange } = DEFINITIONS[name].capabilities
    return [name, { changesPlan, schedulesPlanChange }]
  }),
)

const app = createApp<Cloudflare.ChangePlanEnv>()

app.post(PATH, async (c) => {
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw apiError(errors.no_credential)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  if (caller.kind === 'user' && caller.anonymous) throw apiError(errors.anonymous)
  const { request, key } = await readRequest(c, caller).catch(rejectInvalidKeyFirst(c.env, caller, errors))

  const db = connect(c.env)
  const { preview, quote, when: takesEffect, ...order } = request
  const parameters = {
    ...paywallTarget(c),
    ...callerParameters(caller),
    ...order,
    takesEffect,
    capabilities: CAPABILITIES,
  }
  if (preview) return c.json(await previewChange(db, c.env, parameters))

  const holder = crypto.randomUUID()
  const claim = {
    caller: caller.kind === 'owner' ? 'owner' : `user:${caller.userId}`,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    hash: await canonicalHash(request),
    holder,
    quote,
  }
  const row = await untilDecided(
    () => claimPlanChange<ClaimResult>(db, { ...parameters, ...claim }),
    errors.plan_changing,
  )
  if (row.verdict === 'replay') return c.body(row.reply, 200, { ...JSON_TYPE, 'Idempotency-Replayed': 'true' })
  if (row.verdict !== 'claimed') throw toError(row)
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  return c.body(await changeAtProcessor(db, c.env, holder, row.change, later), 200, JSON_TYPE)
})

app.all(PATH, allowOnly('POST'))

const JSON_TYPE = { 'Content-Type': 'application/json' }

async function readRequest(c: Context, caller: Caller) {
  await checkPaywallId(c.req, paywallTarget(c))
  const request: ChangeRequest = await parseJson(c.req, caller.kind === 'owner' ? OwnerBody : UserBody)
  return { request, key: parseIdempotencyKey(c.req) }
}

export default app
