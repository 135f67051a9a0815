import type { Context } from 'hono'
import { keepCode } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { CodeBody, codeWords as words } from './contract.ts'
import { countedNetwork } from './counted-network.ts'
import { mailCode } from './mail-code.ts'
import { CODE_MINUTES, hashesOf, LONG_CODE_MINUTES, newCode, newLongCode, newRequest } from './sign-in-code.ts'

/**
 * What keep_code gives. `retry_after`: seconds until another code may be mailed. `restores`: the code brings purchases back. `mail`:
 * what is to be mailed; nothing if the address has a long code that is good.
 */
type KeepResult =
  | { verdict: 'unknown_paywall' }
  | { verdict: 'too_many_codes'; retry_after: number }
  | { verdict: 'kept'; paywall_name: string; restores: boolean; mail: 'code' | 'long_code' | 'none' }

/** Mails a sign-in code. What it answers, and when, says nothing of the address: the mail goes out afterwards. */
export async function sendCode(c: Context<{ Bindings: Cloudflare.SignInEnv }>): Promise<Response> {
  const place = placeOf(c)
  await checkPaywallId(c.req, place)
  const { email } = await parseJson(c.req, CodeBody)
  const [code, longCode, request] = [newCode(), newLongCode(), newRequest()]
  const mailed = { paywallId: place.paywallId, email, request }
  const hashes = await hashesOf({ ...mailed, code }, c.env.SIGN_IN_CODE_KEY)
  const { codeHash: longCodeHash } = await hashesOf({ ...mailed, code: longCode }, c.env.SIGN_IN_CODE_KEY)
  const limits = { codeMinutes: CODE_MINUTES, longCodeMinutes: LONG_CODE_MINUTES, network: countedNetwork(c) }
  const row = await keepCode<KeepResult>(connect(c.env), { ...place, email, ...hashes, longCodeHash, ...limits })
  if (row.verdict === 'unknown_paywall') throw refuse(words.unknown_paywall)
  if (row.verdict === 'too_many_codes') throw new ApiError(...words.too_many_codes, { retryAfter: row.retry_after })

  const mail = { to: email, paywallName: row.paywall_name, restores: row.restores }
  if (row.mail === 'code') c.executionCtx.waitUntil(mailCode(c.env, { ...mail, code }))
  if (row.mail === 'long_code') c.executionCtx.waitUntil(mailCode(c.env, { ...mail, code: longCode }))
  return c.json({ sent: true, request })
}
