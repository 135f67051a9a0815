import type { Context } from 'hono'
import type * as z from 'zod'
import { refreshSession, signInAnonymously, signInByCode } from '../../generated/calls.ts'
import { hashCode, MAX_GUESSES } from '../../lib/auth/challenge.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { reportUnknownOutcome } from '../../lib/http/idempotency.ts'
import { parseIdempotencyKey, parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { parseNetworks } from '../../lib/rate-limits/networks.ts'
import { tokenErrors as errors, type GrantRefusal, type RefreshRefusal, TokenBody } from './contract.ts'
import {
  idempotentRefreshToken,
  newRefreshToken,
  nextRefreshToken,
  type RefreshToken,
  readRefreshToken,
  toSession,
} from './refresh-token.ts'
import { createTokenReply, type SignInResult } from './tokens.ts'

type Body = z.output<typeof TokenBody>
type TokenContext = Context<{ Bindings: Cloudflare.SignInEnv }>

/** The result of a grant, and the refresh token to return if it was valid. */
type Granted = { row: SignInResult<RefreshRefusal | 'bad_token'>; refreshToken: RefreshToken }

/** A code works once: a retry is refused if the first call took effect. */
const CODE_OUTCOME_UNKNOWN = 'The code may have been used. If it is refused now, request a new one'

/**
 * Responds with the tokens for a grant. The database gets only the hash of the refresh token; it checks the grant, and starts or continues
 * a session.
 */
export async function issueTokens(c: TokenContext): Promise<Response> {
  await checkPaywallId(c.req, paywallTarget(c))
  const { row, refreshToken } = await grant(c, await parseJson(c.req, TokenBody))
  if (row.verdict === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  if (row.verdict === 'user_merged') throw apiError(errors.user_merged, { reason: 'merged' })
  if (row.verdict !== 'signed_in') throw apiError(errors[row.verdict])

  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued ?? 0))
  c.header('Cache-Control', 'no-store')
  if (row.replayed) c.header('Idempotency-Replayed', 'true')
  return c.json(await createTokenReply(row, refreshToken, c.env))
}

function grant(c: TokenContext, body: Body): Promise<Granted> {
  switch (body.grant_type) {
    case 'code':
      return grantByCode(c, body)
    case 'anonymous':
      return grantToAnonymous(c)
    case 'refresh_token':
      return grantByRefreshToken(c, body.refresh_token)
  }
}

async function grantByCode(c: TokenContext, body: Body & { grant_type: 'code' }): Promise<Granted> {
  const target = paywallTarget(c)
  const caller = await readBearer(c.req, c.env)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))

  const bearer = caller.kind === 'user' ? caller : null
  const refreshToken = await newRefreshToken()
  const row = await signInByCode<SignInResult<GrantRefusal | 'bad_token'>>(connect(c.env), {
    ...target,
    email: body.email,
    ...(await hashCode({ scope: target.paywallId, ...body }, c.env.SIGN_IN_CODE_KEY)),
    maxGuesses: MAX_GUESSES,
    restore: body.restore,
    anonymousId: bearer?.anonymous ? bearer.userId : null,
    tokenAudience: bearer?.audience,
    tokenSessionId: bearer?.sessionId,
    ...toSession(refreshToken),
  }).catch(reportUnknownOutcome({ detail: { message: CODE_OUTCOME_UNKNOWN } }))
  return { row, refreshToken }
}

/** No user was created. `retry_after`: seconds until one can be. */
type TooManyUsers = { verdict: 'too_many_users'; retry_after: number }

async function grantToAnonymous(c: TokenContext): Promise<Granted> {
  const target = paywallTarget(c)
  const idempotencyKey = parseIdempotencyKey(c.req)
  const refreshToken = idempotencyKey
    ? await idempotentRefreshToken(target.paywallId, idempotencyKey, c.env.SIGN_IN_CODE_KEY)
    : await newRefreshToken()
  const network = c.env.RATE_LIMITED ? parseNetworks(c.req.header('cf-connecting-ip')).wide : null
  const parameters = { ...target, network, ...toSession(refreshToken) }
  const row = await signInAnonymously<SignInResult<GrantRefusal> | TooManyUsers>(connect(c.env), parameters)
  if (row.verdict === 'too_many_users') throw new ApiError(errors.too_many_users, { retryAfter: row.retry_after })
  return { row, refreshToken }
}

/** Exchanges a refresh token for the next one of its session. */
async function grantByRefreshToken(c: TokenContext, token: string): Promise<Granted> {
  const presented = await readRefreshToken(token)
  if (!presented) throw apiError(errors.invalid_grant)

  const refreshToken = await nextRefreshToken(presented, c.env.SIGN_IN_CODE_KEY)
  const { tokenHash: nextHash, ...session } = toSession(refreshToken)
  const parameters = { ...paywallTarget(c), ...session, presentedHash: presented.hash, nextHash }
  const row = await refreshSession<SignInResult<RefreshRefusal>>(connect(c.env), parameters)
  return { row, refreshToken }
}
