import { hash } from 'node:crypto'
import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { decodeForm, type Form } from '../core/wire/form.ts'
import { type ChargebeeAccount, idOfKey } from './accounts.ts'
import { ChargebeeError, errorBody } from './errors.ts'
import { prepareCall } from './routes.ts'

/** A replay needs the same key and parameters. What Chargebee answers to a key that is misused is UNVERIFIED. */
const misused = () => new ChargebeeError(400, 'invalid_request', 'The idempotency key was used for another request.')

export const API: Api<ChargebeeAccount, Form> = {
  keyHeader: 'chargebee-idempotency-key',
  keyRules: {
    // "Chargebee has an idempotency window of 30 minutes". Keys can be up to 100 characters.
    keptSeconds: 30 * 60,
    longestKey: 100,
    tooLong: () => new ChargebeeError(400, 'invalid_request', 'The idempotency key is too long.'),
    otherPath: misused,
    otherParameters: misused,
    inUse: () => new ChargebeeError(409, 'lock_timeout', 'A request with this idempotency key is being processed.'),
  },
  // Equal for the same parameters in any order.
  fingerprint: (form) => hash('sha256', JSON.stringify([...new URLSearchParams(form)].sort())),
  readBody: ({ body, query }) => decodeForm(body || query),
  authenticate(request, accounts) {
    const [scheme, value = ''] = (header(request, 'authorization') ?? '').split(' ')
    const [apiKey = '', password] = Buffer.from(value, 'base64').toString().split(':')
    const account = scheme === 'Basic' && password === '' ? accounts.get(idOfKey(apiKey)) : undefined
    if (account) return account
    throw new ChargebeeError(401, 'api_authentication_failed', 'Sorry, authentication failed. Invalid api key')
  },
  prepare: prepareCall,
  okStatus: () => 200,
  errorBody,
  headers: ({ replayOf }) => ({
    'Content-Type': 'application/json;charset=utf-8',
    ...(replayOf !== null && { 'chargebee-idempotency-replayed': 'true' }),
  }),
}
