import { hash } from 'node:crypto'
import type { RecordedCall } from '../core/calls.ts'
import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { credentialOf } from '../core/wire/credential.ts'
import { decodeForm, type Form } from '../core/wire/form.ts'
import { idOfKey, type StripeAccount } from './accounts.ts'
import { errorBody, refused } from './errors.ts'
import { prepareCall } from './routes.ts'
import { API_VERSION } from './rules.ts'

/** A call to Stripe. `body` is the decoded form; without a body, the decoded query string. */
export type StripeCall = RecordedCall<Form>

export const API: Api<StripeAccount, Form> = {
  keyHeader: 'idempotency-key',
  // Stripe forgets a key after a day.
  keyRules: {
    keptSeconds: 24 * 3600,
    longestKey: 255,
    tooLong: () => refused('key_too_long'),
    otherPath: ({ key, path }, first) => refused('key_of_other_path', { key, path, first }),
    otherParameters: ({ key }) => refused('key_of_other_parameters', { key }),
    inUse: ({ key }) => refused('key_in_use', { key }),
  },
  // Equal for the same parameters in any order.
  fingerprint: (form) => hash('sha256', JSON.stringify([...new URLSearchParams(form)].sort())),
  readBody: ({ body, query }) => decodeForm(body || query),
  authenticate(request, accounts) {
    // Stripe takes the key as a Bearer token or as the user name of Basic authentication.
    const basic = Buffer.from(credentialOf(request, 'Basic') ?? '', 'base64').toString()
    const key = credentialOf(request, 'Bearer') ?? basic.split(':')[0]
    if (!key) throw refused('no_api_key')
    const account = accounts.get(idOfKey(key))
    if (!account) throw refused('wrong_api_key', { key: `${key.slice(0, 8)}****${key.slice(-4)}` })
    return account
  },
  prepare(call, request) {
    const version = header(request, 'stripe-version') ?? API_VERSION
    if (version !== API_VERSION) throw refused('wrong_version', { version, spoken: API_VERSION })
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
