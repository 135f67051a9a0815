import type { Context } from 'hono'
import { endSession } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { refuse } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { EndBody, endWords as words } from './contract.ts'
import { sessionIdOf } from './refresh-token.ts'

/** Ends the session of a refresh token. What it answers says nothing of whether there was one. */
export async function signOut(c: Context<{ Bindings: Cloudflare.SignInEnv }>): Promise<Response> {
  const place = placeOf(c)
  await checkPaywallId(c.req, place)
  const { refresh_token: token } = await parseJson(c.req, EndBody)
  const sessionId = sessionIdOf(token)
  if (!sessionId) throw refuse(words.invalid_grant)

  const { verdict } = await endSession<{ verdict: 'ended' | 'unknown_paywall' }>(connect(c.env), {
    ...place,
    sessionId,
  })
  if (verdict !== 'ended') throw refuse(words[verdict])
  return c.json({ ended: true })
}
