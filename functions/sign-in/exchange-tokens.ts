import type { Context } from 'hono'
import { signInForOwner } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { ExchangeBody, type ExchangeRefusal, exchangeErrors as errors } from './contract.ts'
import { newRefreshToken, toSession } from './refresh-token.ts'
import { createTokenReply, type SignInResult } from './tokens.ts'

/** Issues tokens to an owner that signs in its users itself. The user becomes a member of the paywall. */
export async function exchangeTokens(c: Context<{ Bindings: Cloudflare.SignInEnv }>): Promise<Response> {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw apiError(errors.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, errors)
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)
  const person = await parseJson(c.req, ExchangeBody).catch(rejectInvalidKey)
  const refreshToken = await newRefreshToken()
  const parameters = { keyHash, ...target, ...person, ...toSession(refreshToken) }
  const row = await signInForOwner<SignInResult<ExchangeRefusal>>(connect(c.env), parameters)
  if (row.verdict !== 'signed_in') throw apiError(errors[row.verdict])

  c.header('Cache-Control', 'no-store')
  return c.json(await createTokenReply(row, refreshToken, c.env))
}
