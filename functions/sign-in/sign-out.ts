import type { Context } from 'hono'
import { endSession } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { EndBody, endErrors as errors } from './contract.ts'
import { parseSessionId } from './refresh-token.ts'

/** Ends the session of a refresh token. The response does not reveal whether the session existed. */
export async function signOut(c: Context<{ Bindings: Cloudflare.SignInEnv }>): Promise<Response> {
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target)
  const { refresh_token: token } = await parseJson(c.req, EndBody)
  const sessionId = parseSessionId(token)
  if (!sessionId) throw apiError(errors.invalid_grant)

  const { verdict } = await endSession<{ verdict: 'ended' | 'unknown_paywall' }>(connect(c.env), {
    ...target,
    sessionId,
  })
  if (verdict !== 'ended') throw apiError(errors[verdict])
  return c.json({ ended: true })
}
