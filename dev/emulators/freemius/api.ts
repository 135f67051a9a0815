import type { Api } from '../core/processor.ts'
import { credentialOf } from '../core/wire/credential.ts'
import { readJson, readQuery } from '../core/wire/json-fields.ts'
import { NO_KEYS } from '../core/wire/no-keys.ts'
import { type Mistake, parseWith } from '../core/wire/parse.ts'
import { prepareRoute } from '../core/wire/routes.ts'
import type { FreemiusAccount } from './accounts.ts'
import { badRequest, errorBody, freemiusError, unauthorized } from './errors.ts'
import { ROUTES } from './routes.ts'

/** The product that a path begins with; each has a key of its own. */
const PRODUCT = /^\/v1\/products\/(\d+)\//

const refused = ({ path, message }: Mistake) => badRequest(`${path.join('.')}: ${message}`)

export const API: Api<FreemiusAccount, unknown> = {
  ...NO_KEYS,
  readBody: ({ body, query }) => (body === '' ? readQuery(query) : (readJson(body) ?? body)),
  authenticate(request, accounts) {
    const [, product = ''] = PRODUCT.exec(request.path) ?? []
    const apiKey = credentialOf(request, 'Bearer')
    const account = accounts.get(product)
    if (!account?.paywalls.some((paywall) => paywall.apiKey === apiKey)) throw unauthorized()
    return account
  },
  prepare({ method, path }, { query, body }) {
    const given = method === 'POST' ? readJson(body) : readQuery(query)
    // Every path ends with `.json`. What a query has besides is ignored.
    const [, resource] = /^(.*)\.json$/.exec(path.replace(PRODUCT, '/')) ?? []
    const execution =
      resource !== undefined &&
      prepareRoute(ROUTES, { method, path: resource }, (schema) => () => parseWith(schema, given, refused))
    if (execution) return execution
    throw freemiusError(404, 'ResourceNotFound', `There is nothing at ${path}.`, 'resource_not_found')
  },
  okStatus: (method) => (method === 'POST' ? 201 : 200),
  errorBody,
  headers: () => ({ 'Content-Type': 'application/json' }),
}
