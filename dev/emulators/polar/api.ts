import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { readJson } from '../core/wire/json-fields.ts'
import { idOfToken, type PolarAccount } from './accounts.ts'
import { errorBody, PolarError } from './errors.ts'
import { prepareCall } from './routes.ts'
import { API_VERSION } from './rules.ts'

const noKeys = () => new PolarError(400, null, 'Polar has no idempotency keys.')

export const API: Api<PolarAccount, unknown> = {
  keyHeader: null,
  keyRules: {
    keptSeconds: 0,
    longestKey: 0,
    tooLong: noKeys,
    otherPath: noKeys,
    otherParameters: noKeys,
    inUse: noKeys,
  },
  fingerprint: (body) => body,
  // The call is recorded in any case. One that is no JSON is refused when its route parses the body.
  readBody: ({ body, query }) => (body === '' ? Object.fromEntries(new URLSearchParams(query)) : readJson(body)),
  authenticate(request, accounts) {
    const [scheme, token = ''] = (header(request, 'authorization') ?? '').split(' ')
    const account = scheme === 'Bearer' ? accounts.get(idOfToken(token)) : undefined
    if (!account) {
      throw new PolarError(401, 'invalid_token', 'The access token provided is expired, revoked, malformed, or invalid')
    }
    return account
  },
  prepare(call, request) {
    // A version that Polar does not have is a path that it does not have.
    const version = header(request, 'polar-version') ?? API_VERSION
    if (version !== API_VERSION) throw new PolarError(404, null, 'Not Found')
    return prepareCall(call, request)
  },
  okStatus: (method) => (method === 'POST' ? 201 : 200),
  errorBody,
  headers: () => ({ 'Content-Type': 'application/json' }),
}
