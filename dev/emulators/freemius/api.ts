import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import type { KeyRules } from '../core/wire/idempotency.ts'
import { readJson } from '../core/wire/json-fields.ts'
import type { FreemiusAccount } from './accounts.ts'
import { badRequest, errorBody, unauthorized } from './errors.ts'
import { prepareCall } from './routes.ts'

const unknownKey = () => badRequest('Freemius knows no idempotency keys.')

/** Freemius has none, so these are never asked. */
const KEY_RULES: KeyRules = {
  keptSeconds: 0,
  longestKey: 0,
  tooLong: unknownKey,
  otherPath: unknownKey,
  otherParameters: unknownKey,
  inUse: unknownKey,
}

export const API: Api<FreemiusAccount, unknown> = {
  keyHeader: null,
  keyRules: KEY_RULES,
  fingerprint: (body) => body,
  readBody: ({ body, query }) =>
    body === '' ? Object.fromEntries(new URLSearchParams(query)) : (readJson(body) ?? body),
  /** Each product has a key of its own, and the path names the product. */
  authenticate(request, accounts) {
    const [, product = ''] = /^\/v1\/products\/(\d+)\//.exec(request.path) ?? []
    const [scheme, apiKey] = (header(request, 'authorization') ?? '').split(' ')
    const account = accounts.get(product)
    const isTheirs = scheme === 'Bearer' && account?.paywalls.some((paywall) => paywall.apiKey === apiKey)
    if (!account || !isTheirs) throw unauthorized()
    return account
  },
  prepare: prepareCall,
  okStatus: (method) => (method === 'POST' ? 201 : 200),
  errorBody,
  headers: () => ({ 'Content-Type': 'application/json' }),
}
