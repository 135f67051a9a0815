// What a person does in the console, by a form. An act that moves money or ends access needs a code that was entered a short time before:
// if there is none, one is mailed, and the page asks for it together with the form's fields.
import { confirmConsoleSession } from '../../generated/calls.ts'
import { MAX_GUESSES } from '../../lib/auth/challenge.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, apiError, defineErrors } from '../../lib/http/errors.ts'
import { readForm } from './form.ts'
import { hashConsoleCode, mailCode } from './mailed-code.ts'
import { type ConsoleContext, type PageRefusal, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { confirmPage } from './views/confirm.tsx'

/** Why an act is not done. */
export type ActRefusal = { verdict: PageRefusal | 'unconfirmed'; email: string | null }

const errors = defineErrors<'too_many_codes'>({
  too_many_codes: [429, 'too_many_codes', 'Too many codes were mailed. Try again later'],
})

type ConfirmResult = { verdict: 'confirmed' } | { verdict: 'invalid_code' } | { verdict: 'signed_out' }
type Form = Record<string, string>

/**
 * Handles the form of an act. `run` makes the database call and returns its refusal, where to go next, or a page.
 *
 * @throws ApiError 401, 403
 */
export const act =
  (run: (c: ConsoleContext, sessionHash: string, form: Form) => Promise<ActRefusal | string | Response>) =>
  async (c: ConsoleContext): Promise<Response> => {
    const { code, challenge = '', email = '', ...form } = await readForm(c)
    const session = await sessionHash(c)
    if (code !== undefined) {
      const isRight = await confirm(c, session, { email, challenge, code })
      if (!isRight) return askForCode(c, form, { email, challenge, problem: 'This code is incorrect or has expired.' })
    }
    const outcome = await run(c, session, form)
    if (outcome instanceof Response) return outcome
    if (typeof outcome === 'string') return c.redirect(outcome, 303)
    if (outcome.verdict !== 'unconfirmed') throw apiError(sessionErrors[outcome.verdict])
    return mailAndAsk(c, form, outcome.email ?? '')
  }

async function confirm(c: ConsoleContext, session: string, code: { email: string; challenge: string; code: string }) {
  const row = await confirmConsoleSession<ConfirmResult>(connect(c.env), {
    sessionHash: session,
    ...(await hashConsoleCode(c, code)),
    maxGuesses: MAX_GUESSES,
  })
  if (row.verdict === 'signed_out') throw apiError(sessionErrors.signed_out)
  return row.verdict === 'confirmed'
}

async function mailAndAsk(c: ConsoleContext, form: Form, email: string): Promise<Response> {
  const mailed = await mailCode(c, email)
  if ('challenge' in mailed) return askForCode(c, form, { email, challenge: mailed.challenge })
  throw new ApiError(errors.too_many_codes, { retryAfter: mailed.retryAfter })
}

const askForCode = (c: ConsoleContext, form: Form, step: { email: string; challenge: string; problem?: string }) =>
  showPage(c, confirmPage({ ...step, form }), step.problem ? 400 : 200)
