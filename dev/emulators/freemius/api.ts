import type { Api } from '../core/processor.ts'
import { callsInJson } from '../core/wire/calls-in-json.ts'
import { readCredential } from '../core/wire/credential.ts'
import { readQuery } from '../core/wire/json-fields.ts'
import type { FreemiusAccount } from './accounts.ts'
import { badRequest, errorBody, freemiusError, unauthorized } from './errors.ts'
import { ROUTES } from './routes.ts'

/** Paths begin with the product; each product has its own key. */
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

/** Reduces an object, or each object of a list, to the requested fields. */
const only = (fields: string[], response: object) =>
  JSON.parse(JSON.stringify(response, ['users', 'licenses', 'subscriptions', 'payments', 'events', ...fields]))

/** Removes `.json` from the end of a path. Only a document's has `.pdf` instead. Any other stays unchanged and matches no route. */
function resourceName(path: string): string {
  const resource = path.replace(PRODUCT, '/')
  return /^(.*)\.json$/.exec(resource)?.[1] ?? (resource.endsWith('.pdf') ? resource : path)
}
