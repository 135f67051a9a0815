import { hash } from 'node:crypto'
import type { Api } from '../core/processor.ts'
import { credentialOf } from '../core/wire/credential.ts'
import { decodeForm, type Form } from '../core/wire/form.ts'
import { prepareRoute } from '../core/wire/routes.ts'
import { type ChargebeeAccount, idOfKey } from './accounts.ts'
import { chargebeeError, errorBody } from './errors.ts'
import { parseParameters } from './parameters.ts'
import { ROUTES } from './routes.ts'

/** A replay needs the same key and parameters. What Chargebee answers to a key that is misused is UNVERIFIED. */
const misused = () => chargebeeError(400, 'invalid_request', 'The idempotency key was used for another request.')

export const API: Api<ChargebeeAccount, Form> = {
  keyHeader: 'chargebee-idempotency-key',
  keyRules: {
    // "Chargebee has an idempotency window of 30 minutes". Keys can be up to 100 characters.
    keptSeconds: 30 * 60,
    longestKey: 100,
    tooLong: () => chargebeeError(400, 'invalid_request', 'The idempotency key is too long.'),
    otherPath: misused,
    otherParameters: misused,
    inUse: () => chargebeeError(409, 'lock_timeout', 'A request with this idempotency key is being processed.'),
  },
  // Equal for the same parameters in any order.
  fingerprint: (form) => hash('sha256', JSON.stringify([...new URLSearchParams(form)].sort())),
  readBody: ({ body, query }) => decodeForm(body || query),
  authenticate(request, accounts) {
    const credential = Buffer.from(credentialOf(request, 'Basic') ?? '', 'base64').toString()
    const [apiKey = '', password] = credential.split(':')
    const account = password === '' ? accounts.get(idOfKey(apiKey)) : undefined
    if (account) return account
    throw chargebeeError(401, 'api_authentication_failed', 'Sorry, authentication failed. Invalid api key')
  },
  // Mistakes are refused before anything has run.
  prepare({ method, path, body }) {
    const execution = prepareRoute(ROUTES, { method, path: decoded(path) }, (schema) => {
      const parameters = parseParameters(schema, body)
      return () => parameters
    })
    if (execution) return execution
    throw chargebeeError(404, 'url_not_found', `${method} ${path} is no address of this API.`)
  },
  okStatus: () => 200,
  errorBody,
  headers: ({ replayOf }) => ({
    'Content-Type': 'application/json;charset=utf-8',
    ...(replayOf !== null && { 'chargebee-idempotency-replayed': 'true' }),
  }),
}

/** Chargebee does not understand a slash that is encoded (github.com/chargebee/chargebee-go/pull/40). */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll(/%2f/gi, '%252F'))
  } catch {
    return path
  }
}
