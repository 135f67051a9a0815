import type { Context } from 'hono'
import { keepCode } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { CodeBody, codeErrors as errors } from './contract.ts'
import { countedNetwork } from './counted-network.ts'
import { mailCode } from './mail-code.ts'
import {
  CODE_MINUTES,
  hashesOf,
  LASTING_CODE_MINUTES,
  LONG_CODE_MINUTES,
  newCode,
  newLongCode,
  newRequest,
} from './sign-in-code.ts'

/** What is to be mailed, and how many minutes its code holds. `restores`: the code brings purchases back. */
type Mail = { paywall_name: string; restores: boolean } & (
  | { mail: 'code' | 'long_code'; minutes: number }
  | { mail: 'none' }
)

/** What keep_code gives. `retry_after`: seconds until another code may be mailed, except long ones. */
type KeepResult =
  | { verdict: 'unknown_paywall' }
  | ({ verdict: 'kept' } & Mail)
  | ({ verdict: 'too_many_codes'; retry_after: number } & Mail)

/** Of every address, since no answer tells whether it is a user's. */
const ANYWHERE =
  'Too many codes were asked for. If this address is known here, its mailbox has a code that works in every network'

/** Mails a sign-in code. What it answers, and when, says nothing of the address: the mail goes out afterwards. */
export async function sendCode(c: Context<{ Bindings: Cloudflare.SignInEnv }>): Promise<Response> {
  const place = paywallTarget(c)
  await checkPaywallId(c.req, place)
  const { email } = await parseJson(c.req, CodeBody)
  const [code, longCode, request] = [newCode(), newLongCode(), newRequest()]
  const mailed = { paywallId: place.paywallId, email, request }
  const hashes = await hashesOf({ ...mailed, code }, c.env.SIGN_IN_CODE_KEY)
  const { codeHash: longCodeHash } = await hashesOf({ ...mailed, code: longCode }, c.env.SIGN_IN_CODE_KEY)
  const limits = {
    codeMinutes: CODE_MINUTES,
    longCodeMinutes: LONG_CODE_MINUTES,
    lastingCodeMinutes: LASTING_CODE_MINUTES,
    network: countedNetwork(c),
  }
  const row = await keepCode<KeepResult>(connect(c.env), { ...place, email, ...hashes, longCodeHash, ...limits })
  if (row.verdict === 'unknown_paywall') throw apiError(errors.unknown_paywall)

  if (row.mail !== 'none') {
    const { paywall_name: paywallName, restores, minutes } = row
    const mail = { to: email, code: row.mail === 'code' ? code : longCode, minutes, paywallName, restores }
    c.executionCtx.waitUntil(mailCode(c.env, mail))
  }
  if (row.verdict === 'kept') return c.json({ sent: true, request })
  throw new ApiError(...errors.too_many_codes, { retryAfter: row.retry_after, detail: { message: ANYWHERE, request } })
}
