import type { Api } from '../core/processor.ts'
import { callsInForms } from '../core/wire/calls-in-forms.ts'
import { readBasicAuth } from '../core/wire/credential.ts'
import { type Form, parameterName } from '../core/wire/form.ts'
import type { Misuse } from '../core/wire/idempotency.ts'
import { rateLimit } from '../core/wire/rate-limit.ts'
import { retrieve } from '../core/wire/routes.ts'
import { type ChargebeeAccount, toAccountId } from './accounts.ts'
import { CHANGE_PAGE_ROUTES } from './change-pages.ts'
import { CHECKOUT_ROUTES } from './checkout.ts'
import { COUPON_ROUTES } from './coupons.ts'
import { chargebeeError, errorBody, wrongValue } from './errors.ts'
import { ESTIMATE_ROUTES } from './estimates.ts'
import { INVOICE_ROUTES } from './invoices.ts'
import { content } from './objects/wire.ts'
import { PLAN_CHANGE_ROUTES } from './plan-changes.ts'
import { SUBSCRIPTION_ROUTES } from './subscriptions.ts'
import { VOID_ROUTES } from './voids.ts'

/** A replay requires the same key and parameters. Chargebee's errors for misused keys are UNVERIFIED. */
const misused = (misuse: Misuse) =>
  misuse === 'in_use'
    ? chargebeeError(409, 'lock_timeout', 'A request with this idempotency key is being processed.')
    : chargebeeError(400, 'invalid_request', `The idempotency key is ${misuse.replaceAll('_', ' ')}.`)

/** The supported part of Chargebee's API. */
const ROUTES = [
  ...CHECKOUT_ROUTES,
  ...CHANGE_PAGE_ROUTES,
  ...COUPON_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...ESTIMATE_ROUTES,
  ...PLAN_CHANGE_ROUTES,
  ...VOID_ROUTES,
  ...INVOICE_ROUTES,
  retrieve('/customers/:id', 'customers'),
  retrieve('/events/:id', 'events'),
]

const CALLS = callsInForms(ROUTES, {
  unknownPath: ({ method, path }) =>
    chargebeeError(404, 'url_not_found', `${method} ${path} is not a path of this API.`),
  mistake: ({ path, problem, message }) =>
    wrongValue(parameterName(path), problem === 'unknown' ? 'unknown parameter' : message),
})

/** 150 calls a minute for test sites, and for live ones on the smallest plan (apidocs.chargebee.com/docs/api, "API limits"). */
export const RATE_LIMIT = rateLimit({ calls: 150, seconds: 60 })

const BLOCKED =
  'Sorry, access has been blocked temporarily due to request count exceeding the acceptable limit. Please try after some time.'

export const API: Api<ChargebeeAccount, Form> = {
  ...CALLS,
  keyHeader: 'chargebee-idempotency-key',
  keyRules: {
    // "Chargebee has an idempotency window of 30 minutes". Keys can be up to 100 characters.
    keptSeconds: 30 * 60,
    longestKey: 100,
    refuse: misused,
  },
  authenticate(request, accounts) {
    const { user = '', password } = readBasicAuth(request) ?? {}
    const account = password === '' ? accounts.get(toAccountId(user)) : undefined
    if (account) return account
    throw chargebeeError(401, 'api_authentication_failed', 'Sorry, authentication failed. Invalid api key')
  },
  prepare(call) {
    const execution = CALLS.prepare({ ...call, path: resourceName(call.path) })
    return (context) => named(execution(context))
  },
  errorBody,
  rateLimit: RATE_LIMIT,
  tooManyCalls: () => ({
    headers: { 'Content-Type': 'application/json;charset=utf-8' },
    body: JSON.stringify(errorBody({ status: 429, message: BLOCKED })),
  }),
  headers: ({ replayedRequestId }) => ({
    'Content-Type': 'application/json;charset=utf-8',
    ...(replayedRequestId !== null && { 'chargebee-idempotency-replayed': 'true' }),
  }),
}

/** Responses contain objects under their names. */
const named = (made: object) => ('object' in made ? content(made) : made)

/**
 * The part of a path after the version; empty for another version. Chargebee does not decode an encoded slash
 * (github.com/chargebee/chargebee-go/pull/40).
 */
function resourceName(path: string): string {
  const [, resource = ''] = /^\/api\/v2(\/.*)$/.exec(path) ?? []
  try {
    return decodeURIComponent(resource.replaceAll(/%2f/gi, '%252F'))
  } catch {
    return resource
  }
}
