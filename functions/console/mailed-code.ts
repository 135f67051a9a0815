// Codes that are mailed to members of a team, for signing in and for confirming an act.
import { createConsoleChallenge } from '../../generated/calls.ts'
import { CODE_MINUTES, hashCode, newChallenge, newCode } from '../../lib/auth/challenge.ts'
import { connect } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'
import { parseNetworks } from '../../lib/rate-limits/networks.ts'
import { writeCodeMail } from './code-mail.ts'
import type { ConsoleContext } from './session.ts'

type CreateResult = { verdict: 'created'; is_known: boolean } | { verdict: 'too_many_mails'; retry_after: number }

/** A code was mailed if the address is in a team: the code works only with the challenge. */
export type MailedCode = { challenge: string } | { retryAfter: number }

/**
 * Mails a code after the response, so that neither the response nor its timing reveals whether the address is in a team. `retryAfter`: in
 * seconds, if too many were mailed.
 */
export async function mailCode(c: ConsoleContext, email: string): Promise<MailedCode> {
  const challenge = newChallenge()
  const code = newCode()
  const row = await createConsoleChallenge<CreateResult>(connect(c.env), {
    email,
    ...(await hashConsoleCode(c, { email, challenge, code })),
    codeMinutes: CODE_MINUTES,
    network: c.env.RATE_LIMITED ? parseNetworks(c.req.header('cf-connecting-ip')).wide : null,
  })
  if (row.verdict === 'too_many_mails') return { retryAfter: row.retry_after }
  if (row.is_known) {
    const sent = c.env.EMAIL.send(writeCodeMail(email, code, c.env.EMAIL_FROM))
    c.executionCtx.waitUntil(sent.catch(logNotMailed))
  }
  return { challenge }
}

/** The error's message is not logged: it may contain the address. */
const logNotMailed = (error: unknown) =>
  log('error', 'console code not mailed', { reason: error instanceof Error ? error.name : typeof error })

/** The hashes of a code and its challenge, as parameters of the database functions. */
export const hashConsoleCode = (c: ConsoleContext, code: { email: string; challenge: string; code: string }) =>
  hashCode({ scope: 'console', ...code, code: code.code.replaceAll(/\s/g, '') }, c.env.CONSOLE_CODE_KEY)
