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
  /** What proves that the code was asked for here; null: none was yet. */
  request: string | null
  code: string
  /** Whether the visitor takes what the mail has offered. */
  restore: boolean
  problem?: string
  status: number
}

/** Before the first step. */
export const FIRST_STEP: SignInStep = { email: '', request: null, code: '', restore: true, status: 200 }

const Sent = z.object({ request: z.string() })

/** Mails a code. */
export async function mailCode(c: PagesContext, site: Site, form: Form): Promise<SignInStep> {
  const email = form('email').trim()
  const path = `/api/v1/paywall/${site.paywallId}/sign-in/code`
  const sent = await callApi(c, 'SIGN_IN', Sent, { path, body: { email } })
  if (!isRefused(sent)) return { ...FIRST_STEP, email, request: sent.request }
  // A code that was mailed before may still be good, and one of another kind may have been mailed.
  const request = sent.request ?? (form('request') || null)
  return { ...FIRST_STEP, email, request, problem: messageFor(sent, site.texts), status: sent.status }
}

/** Signs in with the code; null: it was right, and the visitor is signed in. An anonymous visitor brings along what it has. */
export async function enterCode(c: PagesContext, site: Site, form: Form): Promise<SignInStep | null> {
  const step = {
    email: form('email'),
    request: form('request'),
    code: form('code'),
    restore: form('restore') === 'yes',
  }
  const signedIn = await beginSession(c, site, { grant_type: 'code', ...step }, isAnonymous(site) ? site.token : null)
  return isRefused(signedIn) ? { ...step, problem: messageFor(signedIn, site.texts), status: signedIn.status } : null
}

/** Whether the visitor is known by its cookies alone. */
export const isAnonymous = ({ token, user }: Site): boolean => token !== null && !user?.email
