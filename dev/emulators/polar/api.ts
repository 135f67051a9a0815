import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { credentialOf } from '../core/wire/credential.ts'
import { readJson, readQuery } from '../core/wire/json-fields.ts'
import { NO_KEYS } from '../core/wire/no-keys.ts'
import { prepareRoute } from '../core/wire/routes.ts'
import { idOfToken, type PolarAccount } from './accounts.ts'
import { errorBody, polarError } from './errors.ts'
import { parseCall } from './parameters.ts'
import { ROUTES } from './routes.ts'
import { API_VERSION } from './rules.ts'

export const API: Api<PolarAccount, unknown> = {
  ...NO_KEYS,
  // The call is recorded in any case. One that is no JSON is refused when its route parses the body.
  readBody: ({ body, query }) => (body === '' ? readQuery(query) : readJson(body)),
  authenticate(request, accounts) {
    const account = accounts.get(idOfToken(credentialOf(request, 'Bearer') ?? ''))
    if (account) return account
    throw polarError(401, 'invalid_token', 'The access token provided is expired, revoked, malformed, or invalid')
  },
  prepare(call, request) {
    // A version that Polar does not have is a path that it does not have.
    const isKnown = (header(request, 'polar-version') ?? API_VERSION) === API_VERSION
    const execution = isKnown && prepareRoute(ROUTES, call, (schema) => () => parseCall(schema, request))
    if (!execution) throw polarError(404, null, 'Not Found')
    return execution
  },
  okStatus: (method) => (method === 'POST' ? 201 : 200),
  errorBody,
  headers: () => ({ 'Content-Type': 'application/json' }),
}
