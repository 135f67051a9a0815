import { hash } from 'node:crypto'
import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import type { KeyRules } from '../core/wire/idempotency.ts'
import { readJson } from '../core/wire/json-fields.ts'
import { idOfKey, type MollieAccount } from './accounts.ts'
import { errorBody, MollieError } from './errors.ts'
import { prepareCall } from './routes.ts'

/**
 * Mollie's idempotency of POST requests, as documented: a repeat gets "a cached version of the initial response", which
 * may be an error. The documentation does not say how long a key may be; 255 characters are our guess.
 */
const KEY_RULES: KeyRules = {
  // "Keys older than 1 hour will be removed from our cache."
  keptSeconds: 3600,
  longestKey: 255,
  tooLong: () => new MollieError(400, 'The idempotency key is too long.'),
  otherPath: () => new MollieError(400, 'The idempotency key was used for another endpoint.'),
  otherParameters: () => new MollieError(400, 'The idempotency key was used with other parameters.'),
  inUse: () => new MollieError(409, 'A request with this idempotency key is still being processed.'),
}

export const API: Api<MollieAccount, unknown> = {
  keyHeader: 'idempotency-key',
  keyRules: KEY_RULES,
  // Equal for the same body, byte by byte.
  fingerprint: (body) => hash('sha256', body),
  // The call is recorded in any case. One that is no JSON is refused when its route parses the body.
  readBody: ({ body }) => readJson(body) ?? body,
  authenticate(request, accounts) {
    const [scheme, apiKey = ''] = (header(request, 'authorization') ?? '').split(' ')
    const account = scheme === 'Bearer' ? accounts.get(idOfKey(apiKey)) : undefined
    if (!account) throw new MollieError(401, 'Missing authentication, or failed to authenticate')
    return account
  },
  prepare: prepareCall,
  okStatus: (method) => (method === 'POST' ? 201 : 200),
  errorBody,
  headers: ({ replayOf }) => ({
    'Content-Type': 'application/hal+json',
    ...(replayOf !== null && { 'Idempotent-Replayed': 'true' }),
  }),
}
