import type { Context } from 'hono'
import type * as z from 'zod'
import { refreshSession, signInAnonymously, signInByCode } from '../../generated/calls.ts'
import { readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { refuse } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { placeOf } from '../../lib/http/place.ts'
import { type GrantRefusal, TokenBody, tokenWords as words } from './contract.ts'
import { newRefreshToken, readRefreshToken, sessionOf } from './refresh-token.ts'
import { CODE_TRIES, hashCode } from './sign-in-code.ts'
import type { SignInResult } from './signed-in.ts'
import { tokensFor } from './tokens.ts'

type Body = z.output<typeof TokenBody>
type Granted = SignInResult<GrantRefusal>
type TokenContext = Context<{ Bindings: Cloudflare.SignInEnv }>

/** Tokens for whoever can show a grant: a mailed code, a refresh token, or nothing, for an anonymous user. */
export async function giveTokens(c: TokenContext): Promise<Response> {
  const body = await parseJson(c.req, TokenBody)
  const { row, refreshToken } = await grant(c, body)
  if (row.verdict !== 'signed_in') throw refuse(words[row.verdict])

  c.header('Cache-Control', 'no-store')
  return c.json(await tokensFor(row.user, placeOf(c).paywallId, refreshToken, c.env))
}

async function grant(c: TokenContext, body: Body) {
  switch (body.grant_type) {
    case 'code':
      return grantByCode(c, body)
    case 'anonymous': {
      const refreshToken = await newRefreshToken(crypto.randomUUID())
      return {
        refreshToken,
        row: await signInAnonymously<Granted>(connect(c.env), { ...placeOf(c), ...sessionOf(refreshToken) }),
      }
    }
    case 'refresh_token': {
      const presented = await readRefreshToken(body.refresh_token)
      if (!presented) throw refuse(words.invalid_grant)
      const refreshToken = await newRefreshToken(presented.sessionId)
      const { tokenHash: nextHash, ...session } = sessionOf(refreshToken)
      const parameters = { ...placeOf(c), ...session, presentedHash: presented.hash, nextHash }
      return { refreshToken, row: await refreshSession<Granted>(connect(c.env), parameters) }
    }
  }
}

async function grantByCode(c: TokenContext, { email, code }: Body & { grant_type: 'code' }) {
  const place = placeOf(c)
  const caller = await readBearer(c.req, place.paywallId, c.env)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token)

  const anonymousId = caller.kind === 'user' && caller.anonymous ? caller.userId : null
  const codeHash = await hashCode(code, place.paywallId, email, c.env.SIGN_IN_CODE_KEY)
  const refreshToken = await newRefreshToken(crypto.randomUUID())
  const proof = { email, codeHash, codeTries: CODE_TRIES, anonymousId }
  const row = await signInByCode<Granted>(connect(c.env), { ...place, ...proof, ...sessionOf(refreshToken) })
  return { refreshToken, row }
}
