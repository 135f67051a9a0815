import type { Api } from '../core/processor.ts'
import { callsInJson } from '../core/wire/calls-in-json.ts'
import { readCredential } from '../core/wire/credential.ts'
import { readQuery } from '../core/wire/json-fields.ts'
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
  ...CALLS,
  authenticate(request, accounts) {
    const [, product = ''] = PRODUCT.exec(request.path) ?? []
    const apiKey = readCredential(request, 'Bearer')
    const account = accounts.get(product)
    if (!account?.paywalls.some((paywall) => paywall.apiKey === apiKey)) throw unauthorized()
    return account
  },
  prepare(call, request) {
    const { fields, ...query } = readQuery(request.query)
    const withoutFields = { ...request, query: `${new URLSearchParams(query)}` }
    const execution = CALLS.prepare({ ...call, path: resourceName(call.path) }, withoutFields)
    return (context) => (fields === undefined ? execution(context) : only(fields.split(','), execution(context)))
  },
  errorBody,
}

/** An object, or each object of a list, with the fields alone that are asked for; a list is a field of its own. */
const only = (fields: string[], response: object) =>
  JSON.parse(JSON.stringify(response, ['users', 'licenses', 'subscriptions', 'payments', 'events', ...fields]))

/** Every path ends with `.json`: what stands before it; one that does not stays as it is, and has no route. */
const resourceName = (path: string) => /^(.*)\.json$/.exec(path.replace(PRODUCT, '/'))?.[1] ?? path
