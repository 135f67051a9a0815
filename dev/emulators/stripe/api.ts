import { hash } from 'node:crypto'
import type { RecordedCall } from '../core/calls.ts'
import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { decodeForm, type Form } from '../core/wire/form.ts'
import type { KeyRules } from '../core/wire/idempotency.ts'
import { idOfKey, type StripeAccount } from './accounts.ts'
import { errorBody, notRun, StripeError } from './errors.ts'
import { prepareCall } from './routes.ts'
import { API_VERSION } from './version.ts'

/** A call to Stripe. `body` is the decoded form; without a body, the decoded query string. */
export type StripeCall = RecordedCall<Form>

const keyError = (message: string) => new StripeError(400, { type: 'idempotency_error', message }, false)
const otherUse = (what: string, key: string) =>
  keyError(
    `Keys for idempotent requests can only be used ${what}. Try using a key other than '${key}' if you meant to execute a different request.`,
  )

/** Stripe's idempotency of POST requests: it forgets a key after a day. */
const KEY_RULES: KeyRules = {
  keptSeconds: 24 * 3600,
  longestKey: 255,
  tooLong: () => keyError('Idempotency keys must be at most 255 characters long.'),
  otherPath: ({ key, path }, first) =>
    otherUse(`for the same endpoint they were first used for ('${path}' vs '${first}')`, key),
  otherParameters: ({ key }) => otherUse('with the same parameters they were first used with', key),
  inUse: ({ key }) =>
    notRun(
      409,
      `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
      { code: 'idempotency_key_in_use' },
    ),
}

export const API: Api<StripeAccount, Form> = {
  keyHeader: 'idempotency-key',
  keyRules: KEY_RULES,
  // Equal for the same parameters in any order.
  fingerprint: (form) => hash('sha256', JSON.stringify([...new URLSearchParams(form)].sort())),
  readBody: ({ body, query }) => decodeForm(body || query),
  authenticate(request, accounts) {
    const secretKey = secretKeyOf(header(request, 'authorization'))
    if (!secretKey) {
      throw notRun(
        401,
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      )
    }
    const account = accounts.get(idOfKey(secretKey))
    if (!account) throw notRun(401, `Invalid API Key provided: ${secretKey.slice(0, 8)}****${secretKey.slice(-4)}`)
    return account
  },
  prepare(call, request) {
    const version = header(request, 'stripe-version') ?? API_VERSION
    if (version !== API_VERSION) {
      throw notRun(400, `Invalid Stripe API version: ${version}. The emulator speaks ${API_VERSION}.`)
    }
    return prepareCall(call)
  },
  okStatus: () => 200,
  errorBody,
  headers: ({ requestId, key, replayOf }) => ({
    'Content-Type': 'application/json',
    'Request-Id': requestId,
    'Stripe-Version': API_VERSION,
    ...(key !== null && { 'Idempotency-Key': key }),
    ...(replayOf !== null && { 'Idempotent-Replayed': 'true', 'Original-Request': replayOf }),
  }),
}

/** Stripe takes the key as a Bearer token or as the user name of Basic authentication. */
function secretKeyOf(authorization: string | null): string | undefined {
  const [scheme, value = ''] = (authorization ?? '').split(' ')
  if (scheme === 'Bearer') return value
  return scheme === 'Basic' ? Buffer.from(value, 'base64').toString().split(':')[0] : undefined
}
