// Returns money of a payment for the owner:
// 1. read the key, the body and the Idempotency-Key
// 2. claim the refund, or wait for the attempt that holds it
// 3. refund it at the processor, and record that (refund-at-processor.ts)
import type { Context } from 'hono'
import { claimRefund } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { canonicalHash } from '../../lib/crypto/canonical.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { type ApiError, apiError } from '../../lib/http/errors.ts'
import { parseIdempotencyKey, parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { untilDecided } from '../../lib/http/until-decided.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import type { ClaimedRefund } from '../../lib/purchases/refund-order.ts'
import { Body, type ClaimRefusal, errors, PATH, type RefundReply } from './contract.ts'
import { type RefusedRefund, refundAtProcessor } from './refund-at-processor.ts'

/** `acquiring` and `available` are those of the payment, if one was found. */
type Refused = { verdict: ClaimRefusal; acquiring?: ProcessorName; available?: number }

/** The result of claim_refund. `in_progress`: another attempt holds the claim. */
type ClaimResult =
  | Refused
  | { verdict: 'in_progress' }
  | { verdict: 'replay'; reply: RefundReply }
  | { verdict: 'claimed'; refund: ClaimedRefund }

/** Which processors can refund a payment: see `Capabilities`. */
const CAPABILITIES = Object.fromEntries(PROCESSOR_NAMES.map((name) => [name, DEFINITIONS[name].capabilities.refunds]))

const app = createApp<Cloudflare.RefundPurchaseEnv>()

app.post(PATH, async (c) => {
  const ownerKey = c.req.header('x-api-key')
  if (ownerKey === undefined) throw apiError(errors.no_credential, misplacedKey(c.req))
  const keyHash = await sha256Hex(ownerKey)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, errors)
  const { request, key } = await readRequest(c).catch(rejectInvalidKey)

  const db = connect(c.env)
  const holder = crypto.randomUUID()
  const claim = {
    keyHash,
    ...paywallTarget(c),
    ...request,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    hash: await canonicalHash(request),
    holder,
    capabilities: CAPABILITIES,
  }
  const row = await untilDecided(() => claimRefund<ClaimResult>(db, claim), errors.refunding)
  if (row.verdict === 'replay') return c.json(row.reply, 200, { 'Idempotency-Replayed': 'true' })
  if (row.verdict !== 'claimed') throw toError(row)
  const result = await refundAtProcessor({ db, env: c.env }, holder, row.refund)
  if (result.outcome !== 'refunded') throw toError(refusedThere(result, row.refund))
  return c.json(result.reply)
})

app.all(PATH, allowOnly('POST'))

async function readRequest(c: Context) {
  await checkPaywallId(c.req, paywallTarget(c))
  const request = { purchaseId: c.req.param('purchase') ?? '', ...(await parseJson(c.req, Body)) }
  return { request, key: parseIdempotencyKey(c.req) }
}

/** What the processor has refused, as if it had been refused here. */
function refusedThere(result: RefusedRefund, { account: { acquiring } }: ClaimedRefund): Refused {
  switch (result.outcome) {
    case 'unsupported':
      return { verdict: 'unsupported', acquiring }
    case 'disputed':
      return { verdict: 'disputed' }
    case 'not_settled':
      return { verdict: 'pending' }
    case 'too_large':
      return result.left > 0 ? { verdict: 'too_much', available: result.left } : { verdict: 'refunded' }
  }
}

function toError({ verdict, acquiring, available }: Refused): ApiError {
  if (verdict === 'unsupported' && acquiring) return apiError(errors.unsupported, { acquiring })
  if (verdict === 'too_much' && available !== undefined) return apiError(errors.too_much, { available })
  return apiError(errors[verdict])
}

export default app
