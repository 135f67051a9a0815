// Tokens for a grant, which is a mailed code, a refresh token, or nothing for an anonymous user:
// 1. make the refresh token that the session gets, of which the database gets the hash only
// 2. make one database call, by the kind of the grant. It checks the grant, and opens a session or continues one
// 3. sign the access token (tokens.ts)
import type { Context } from 'hono'
import type * as z from 'zod'
import { refreshSession, signInAnonymously, signInByCode } from '../../generated/calls.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { reportUnknownOutcome } from '../../lib/http/idempotency.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { countedNetwork } from './counted-network.ts'
import { tokenErrors as errors, type GrantRefusal, TokenBody } from './grants.ts'
import {
  firstRefreshToken,
  type NewRefreshToken,
  nextRefreshToken,
  readRefreshToken,
  refreshTokenOfAttempt,
  sessionOf,
} from './refresh-token.ts'
import { CODE_TRIES, hashesOf } from './sign-in-code.ts'
import { type SignInResult, tokensFor } from './tokens.ts'

type Body = z.output<typeof TokenBody>
type TokenContext = Context<{ Bindings: Cloudflare.SignInEnv }>

/** What came of a grant, and the refresh token that its user gets if it was good. */
type Granted = { row: SignInResult<GrantRefusal | 'bad_token'>; refreshToken: NewRefreshToken }

/** A guess was not compared, or no user was made. `retry_after`: seconds until one may be. */
type TooMany<What extends string> = { verdict: What; retry_after: number }

/** A code works once: if the first call took effect, its repeat is refused. */
const CODE_UNKNOWN = 'It is not known whether the code was used: if it is refused now, ask for another one'

/** Answers with the tokens, or refuses the grant. */
export async function giveTokens(c: TokenContext): Promise<Response> {
  await checkPaywallId(c.req, paywallTarget(c))
  const body = await parseJson(c.req, TokenBody)
  const { row, refreshToken } = await grant(c, body)
  if (row.verdict === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  if (row.verdict !== 'signed_in') throw apiError(errors[row.verdict])

  c.header('Cache-Control', 'no-store')
  return c.json(await tokensFor(row, refreshToken, c.env))
}

function grant(c: TokenContext, body: Body): Promise<Granted> {
  switch (body.grant_type) {
    case 'code':
      return grantByCode(c, body)
    case 'anonymous':
      return grantToAnonymous(c, body)
    case 'refresh_token':
      return grantNext(c, body)
  }
}

async function grantByCode(
  c: TokenContext,
  { email, code, request, restore }: Body & { grant_type: 'code' },
): Promise<Granted> {
  const place = paywallTarget(c)
  const caller = await readBearer(c.req, c.env)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))

  const bearer = caller.kind === 'user' ? caller : null
  const hashes = await hashesOf({ paywallId: place.paywallId, email, request, code }, c.env.SIGN_IN_CODE_KEY)
  const refreshToken = await firstRefreshToken()
  const row = await signInByCode<SignInResult<GrantRefusal | 'bad_token'> | TooMany<'too_many_guesses'>>(
    connect(c.env),
    {
      ...place,
      email,
      ...hashes,
      codeTries: CODE_TRIES,
      restore,
      anonymousId: bearer?.anonymous ? bearer.userId : null,
      tokenAudience: bearer?.audience,
      network: countedNetwork(c),
      ...sessionOf(refreshToken),
    },
  ).catch(reportUnknownOutcome({ detail: { message: CODE_UNKNOWN } }))
  if (row.verdict === 'too_many_guesses')
    throw new ApiError(...errors.too_many_guesses, { retryAfter: row.retry_after })
  return { row, refreshToken }
}

async function grantToAnonymous(c: TokenContext, { attempt }: Body & { grant_type: 'anonymous' }): Promise<Granted> {
  const place = paywallTarget(c)
  const refreshToken = attempt
    ? await refreshTokenOfAttempt(place.paywallId, attempt, c.env.SIGN_IN_CODE_KEY)
    : await firstRefreshToken()
  const parameters = { ...place, network: countedNetwork(c), ...sessionOf(refreshToken) }
  const row = await signInAnonymously<SignInResult<GrantRefusal> | TooMany<'too_many_users'>>(
    connect(c.env),
    parameters,
  )
  if (row.verdict === 'too_many_users') throw new ApiError(...errors.too_many_users, { retryAfter: row.retry_after })
  return { row, refreshToken }
}

/** The next tokens of the session that a refresh token belongs to. */
async function grantNext(
  c: TokenContext,
  { refresh_token: token }: Body & { grant_type: 'refresh_token' },
): Promise<Granted> {
  const presented = await readRefreshToken(token)
  if (!presented) throw apiError(errors.invalid_grant)

  const refreshToken = await nextRefreshToken(presented, c.env.SIGN_IN_CODE_KEY)
  const { tokenHash: nextHash, ...session } = sessionOf(refreshToken)
  const parameters = { ...paywallTarget(c), ...session, presentedHash: presented.hash, nextHash }
  const row = await refreshSession<SignInResult<GrantRefusal>>(connect(c.env), parameters)
  return { row, refreshToken }
}
