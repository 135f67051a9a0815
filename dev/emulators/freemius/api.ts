import type { Api } from '../core/processor.ts'
import { callsInJson } from '../core/wire/calls-in-json.ts'
import { credentialOf } from '../core/wire/credential.ts'
import { NO_KEYS } from '../core/wire/no-keys.ts'
import type { FreemiusAccount } from './accounts.ts'
import { badRequest, errorBody, freemiusError, unauthorized } from './errors.ts'
import { ROUTES } from './routes.ts'

/** The product that a path begins with; each has a key of its own. */
const PRODUCT = /^\/v1\/products\/(\d+)\//

const CALLS = callsInJson(ROUTES, {
  unknownPath: ({ path }) =>
    freemiusError(404, 'ResourceNotFound', `There is nothing at ${path}.`, 'resource_not_found'),
  notJson: () => badRequest('The body is not JSON.'),
  mistake: ({ path, message }) => badRequest(`${path.join('.')}: ${message}`),
})

export const API: Api<FreemiusAccount, unknown> = {
  ...NO_KEYS,
  ...CALLS,
  authenticate(request, accounts) {
    const [, product = ''] = PRODUCT.exec(request.path) ?? []
    const apiKey = credentialOf(request, 'Bearer')
    const account = accounts.get(product)
    if (!account?.paywalls.some((paywall) => paywall.apiKey === apiKey)) throw unauthorized()
    return account
  },
  prepare: (call, request) => CALLS.prepare({ ...call, path: resourceOf(call.path) }, request),
  errorBody,
}

/** Every path ends with `.json`: what stands before it; one that does not stays as it is, and has no route. */
const resourceOf = (path: string) => /^(.*)\.json$/.exec(path.replace(PRODUCT, '/'))?.[1] ?? path
