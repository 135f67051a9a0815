import { endConsoleSession, signInToConsole, switchOwner } from '../../generated/calls.ts'
import { MAX_GUESSES } from '../../lib/auth/challenge.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError } from '../../lib/http/errors.ts'
import { email as emailAddress } from '../../lib/http/user-fields.ts'
import { readForm, readQuery } from './form.ts'
import { hashConsoleCode, mailCode } from './mailed-code.ts'
import { FRONT_PATH, SIGN_IN_PATH } from './paths.ts'
import { type ConsoleContext, dropSession, keepSession, newSession, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { type SignInStep, signInPage } from './views/sign-in.tsx'

type SignInResult = { verdict: 'signed_in' } | { verdict: 'invalid_code' }
type SwitchResult = { verdict: 'switched' } | { verdict: 'signed_out' } | { verdict: 'not_permitted' }

export async function serveSignIn(c: ConsoleContext): Promise<Response> {
  const { to } = await readQuery(c)
  return showPage(c, signInPage({ email: '', challenge: null, to: localPath(to) }))
}

/** Mails a code if the form has none, else signs in with it. */
export async function signIn(c: ConsoleContext): Promise<Response> {
  const form = await readForm(c)
  const email = emailAddress.safeParse(form.email ?? '').data ?? ''
  const to = localPath(form.to)
  if (!form.code) return askForCode(c, { email, challenge: null, to })

  const step = { email, challenge: form.challenge ?? '', to }
  const { token, sessionHash } = await newSession()
  const row = await signInToConsole<SignInResult>(connect(c.env), {
    email,
    ...(await hashConsoleCode(c, { ...step, code: form.code })),
    maxGuesses: MAX_GUESSES,
    sessionHash,
  })
  if (row.verdict === 'invalid_code')
    return showPage(c, signInPage({ ...step, problem: 'This code is incorrect or has expired.' }), 400)
  keepSession(c, token)
  return c.redirect(to, 303)
}

async function askForCode(c: ConsoleContext, step: SignInStep): Promise<Response> {
  if (step.email === '') return showPage(c, signInPage({ ...step, problem: 'Enter your e-mail address.' }), 400)
  const mailed = await mailCode(c, step.email)
  if ('challenge' in mailed) return showPage(c, signInPage({ ...step, challenge: mailed.challenge }))
  c.header('Retry-After', String(mailed.retryAfter))
  return showPage(c, signInPage({ ...step, problem: 'Too many codes were mailed. Try again later.' }), 429)
}

/** A path of the console to continue at. Anything else, such as another site's URL, becomes the front page. */
export const localPath = (path = ''): string => (/^\/(?![/\\])[\w\-/?=&%.]*$/.test(path) ? path : FRONT_PATH)

export async function signOut(c: ConsoleContext): Promise<Response> {
  await endConsoleSession(connect(c.env), { sessionHash: await sessionHash(c) })
  dropSession(c)
  return c.redirect(SIGN_IN_PATH, 303)
}

/** Shows the console of another owner in whose team the person is. */
export async function chooseOwner(c: ConsoleContext): Promise<Response> {
  const { owner = '' } = await readForm(c)
  const row = await switchOwner<SwitchResult>(connect(c.env), { sessionHash: await sessionHash(c), ownerId: owner })
  if (row.verdict !== 'switched') throw apiError(sessionErrors[row.verdict])
  return c.redirect(FRONT_PATH, 303)
}
