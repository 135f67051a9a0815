import type { Context } from 'hono'
import { createChallenge, refundMail } from '../../generated/calls.ts'
import { CODE_MINUTES, hashCode, newChallenge, newCode } from '../../lib/auth/challenge.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { preferredLanguage } from '../../lib/http/preferred-language.ts'
import { log } from '../../lib/log/log.ts'
import { parseNetworks } from '../../lib/rate-limits/networks.ts'
import { type CodeMail, writeCodeMail } from './code-mail.ts'
import { CodeBody, codeErrors as errors } from './contract.ts'
import { type TurnstileKeys, verifyTurnstile } from './turnstile.ts'

type SignInContext = Context<{ Bindings: Cloudflare.SignInEnv }>

/** The result of create_challenge. `captcha`: null if a solved captcha would not help either. */
type CreateResult =
  | { verdict: 'unknown_paywall' }
  | { verdict: 'created'; paywall_name: string; restores: boolean }
  | { verdict: 'too_many_mails'; retry_after: number; captcha: TurnstileKeys | null }

/** A mail that was counted for an address and a network. */
interface CountedMail {
  paywallId: string
  email: string
  network: string | null
  captchaSolved: boolean
}

/** Mails a sign-in code after the response, so that neither the response nor its timing reveals whether the address is known. */
export async function sendCode(c: SignInContext): Promise<Response> {
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target)
  const { email, captcha_token: captchaToken } = await parseJson(c.req, CodeBody)
  const network = c.env.RATE_LIMITED ? parseNetworks(c.req.header('cf-connecting-ip')).wide : null
  const challenge = newChallenge()
  const code = newCode()
  const hashes = await hashCode({ scope: target.paywallId, email, challenge, code }, c.env.SIGN_IN_CODE_KEY)
  const parameters = { ...target, email, ...hashes, codeMinutes: CODE_MINUTES, network }

  let captchaSolved = false
  let row = await createChallenge<CreateResult>(connect(c.env), { ...parameters, captchaSolved })
  if (row.verdict === 'too_many_mails' && row.captcha && captchaToken) {
    await requireSolved(c, target.paywallId, row.captcha, captchaToken)
    captchaSolved = true
    row = await createChallenge<CreateResult>(connect(c.env), { ...parameters, captchaSolved })
  }
  if (row.verdict === 'unknown_paywall') throw apiError(errors.unknown_paywall)
  if (row.verdict === 'too_many_mails') {
    const detail = row.captcha && captchaDetail(row.captcha)
    throw new ApiError(errors.too_many_mails, { retryAfter: row.retry_after, ...(detail && { detail }) })
  }

  const { paywall_name: paywallName, restores } = row
  const language = preferredLanguage(c.req.header('accept-language'))
  const counted = { paywallId: target.paywallId, email, network, captchaSolved }
  c.executionCtx.waitUntil(mailCode(c.env, { to: email, code, paywallName, restores, language }, counted))
  return c.json({ sent: true, challenge })
}

const captchaDetail = ({ site_key }: TurnstileKeys) => ({ captcha: 'turnstile' as const, site_key })

/** @throws ApiError unless Turnstile confirms that the captcha was solved */
async function requireSolved(c: SignInContext, paywallId: string, keys: TurnstileKeys, token: string): Promise<void> {
  const result = await verifyTurnstile(c.env, paywallId, keys, { token, remoteIp: c.req.header('cf-connecting-ip') })
  switch (result) {
    case 'solved':
      return
    case 'captcha_failed':
      throw apiError(errors.captcha_failed, captchaDetail(keys))
    case 'captcha_unavailable':
      throw new ApiError(errors.captcha_unavailable, { retryAfter: 5 })
    case 'captcha_misconfigured':
      throw apiError(errors.captcha_misconfigured)
  }
}

/**
 * Mails a code. A failure is only logged and refunded, because the response was sent already; the caller can request another code. The
 * error's message is not logged: it may contain the address.
 */
async function mailCode(env: Cloudflare.SignInEnv, mail: CodeMail, counted: CountedMail): Promise<void> {
  try {
    await env.EMAIL.send(writeCodeMail(mail, env.EMAIL_FROM))
  } catch (error) {
    log('error', 'sign-in code not mailed', { reason: failureReason(error) })
    const { network } = counted
    if (network !== null) await refundMail(connect(env), { ...counted, network }).catch(logNotRefunded)
  }
}

const logNotRefunded = (cause: unknown) => log('warn', 'unsent mail not refunded', { cause })

/** Cloudflare's error code, such as `E_RATE_LIMIT_EXCEEDED`, or else the class of the error. */
function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error ? String(error.code) : error.name
}
