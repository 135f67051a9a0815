import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { callsInJson } from '../core/wire/calls-in-json.ts'
import { byToken } from '../core/wire/credential.ts'
import { type PolarAccount, toOrganizationId } from './accounts.ts'
import { errorBody, invalid, polarError } from './errors.ts'
import { ROUTES } from './routes.ts'
import { API_VERSION, RATE_LIMIT } from './rules.ts'

const notFound = () => polarError(404, null, 'Not Found')

const CALLS = callsInJson(ROUTES, {
  unknownPath: notFound,
  notJson: (body) => invalid(['body'], 'JSON decode error', body, 'json_invalid'),
  mistake: ({ path, message, code }, where) => invalid([where, ...path], message, undefined, code),
})

export const API: Api<PolarAccount, unknown> = {
  ...CALLS,
  authenticate: byToken(toOrganizationId, () =>
    polarError(401, 'invalid_token', 'The access token provided is expired, revoked, malformed, or invalid'),
  ),
  prepare(call, request) {
    // Polar answers an unknown version like an unknown path.
    if ((header(request, 'polar-version') ?? API_VERSION) !== API_VERSION) throw notFound()
    return CALLS.prepare(call, request)
  },
  errorBody,
  rateLimit: RATE_LIMIT,
  // The middleware's response is not JSON; its text is UNVERIFIED.
  tooManyCalls: () => ({ body: 'Too Many Requests' }),
}
