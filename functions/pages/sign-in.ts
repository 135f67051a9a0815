// Signing in by a mailed code, in two steps on one page: the address, then the code. What was typed is kept in the form, so nothing
// is lost where a step fails.
import * as z from 'zod'
import { callApi, isRefused, type PagesContext } from './call-api.ts'
import type { readForm } from './form.ts'
import { messageFor } from './problem.ts'
import { beginSession } from './session.ts'
import type { Site } from './site.ts'

type Form = Awaited<ReturnType<typeof readForm>>

/** Where somebody who signs in is. */
export interface SignInStep {
  email: string
  /** What the code works with; null: none was asked for yet. */
  challenge: string | null
  /** The captcha that has to be solved for a code: the site key of Turnstile, and where its script comes from. */
  captcha?: { siteKey: string; origin: string } | undefined
  code: string
  /** Whether the visitor takes what the mail has offered. */
  restore: boolean
  problem?: string
  status: number
}

/** Before the first step. */
export const FIRST_STEP: SignInStep = { email: '', challenge: null, code: '', restore: true, status: 200 }

const Sent = z.object({ challenge: z.string() })

/** Mails a code. */
export async function mailCode(c: PagesContext, site: Site, form: Form): Promise<SignInStep> {
  const email = form('email').trim()
  const path = `/api/v1/paywall/${site.paywallId}/sign-in/code`
  const captchaToken = form('cf-turnstile-response') || undefined
  const body = { email, captcha_token: captchaToken }
  // The mail is in the language of the page, which is not always that of the browser.
  const sent = await callApi(c, 'SIGN_IN', Sent, { path, body, headers: { 'Accept-Language': site.tag } })
  if (!isRefused(sent)) return { ...FIRST_STEP, email, challenge: sent.challenge }
  const origin = c.env.TURNSTILE_ORIGIN || 'https://challenges.cloudflare.com'
  const captcha = sent.site_key === undefined ? undefined : { siteKey: sent.site_key, origin }
  const problem = captcha && sent.status === 429 ? site.texts.captchaNeeded : messageFor(sent, site.texts)
  // A code that was mailed before may still be good.
  return { ...FIRST_STEP, email, challenge: form('challenge') || null, captcha, problem, status: sent.status }
}

/** Signs in with the code; null: it was right, and the visitor is signed in. An anonymous visitor brings along what it has. */
export async function enterCode(c: PagesContext, site: Site, form: Form): Promise<SignInStep | null> {
  const step = {
    email: form('email'),
    challenge: form('challenge'),
    code: form('code'),
    restore: form('restore') === 'yes',
  }
  const signedIn = await beginSession(
    c,
    site,
    { grant_type: 'code', ...step },
    { token: isAnonymous(site) ? site.token : null },
  )
  return isRefused(signedIn) ? { ...step, problem: messageFor(signedIn, site.texts), status: signedIn.status } : null
}

/** Whether the visitor is known by its cookies alone. */
export const isAnonymous = ({ token, user }: Site): boolean => token !== null && !user?.email
