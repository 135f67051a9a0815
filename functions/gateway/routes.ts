/** Whose share of requests a call uses up: an owner's by its key, else a user's by its token, else an address's. */
export type CountedBy = 'key' | 'token' | 'address' | 'nothing'

/**
 * Which Worker answers a path, and what tells callers apart there: a credential that the endpoint does not look at says
 * nothing. A line an endpoint; the contract's section 4 is the same list.
 */
export const ROUTES = [
  [/^\/(docs|openapi\.json)$/, 'DOCS', 'address'],
  [/^\/api\/v1\/paywall\/[^/]+\/bootstrap$/, 'BOOTSTRAP', 'token'],
  [/^\/api\/v1\/paywall\/[^/]+\/start-checkout$/, 'START_CHECKOUT', 'key'],
  [/^\/api\/v1\/paywall\/[^/]+\/user$/, 'USER', 'key'],
  [/^\/api\/paywall\/cancel-subscription$/, 'CANCEL_SUBSCRIPTION', 'key'],
  [/^\/api\/v1\/paywall\/[^/]+\/get-customer-portal$/, 'GET_CUSTOMER_PORTAL', 'key'],
  [/^\/api\/v1\/paywall\/[^/]+\/support\/ticket$/, 'SUPPORT_TICKET', 'token'],
  [/^\/api\/v1\/paywall\/[^/]+\/sign-in\/exchange$/, 'SIGN_IN', 'key'],
  [/^\/api\/v1\/paywall\/[^/]+\/sign-in\/(code|token)$/, 'SIGN_IN', 'address'],
  [/^\/api\/v1\/paywall\/[^/]+\/balances$/, 'BALANCES', 'key'],
  [/^\/api\/v1\/withdraw-tokens$/, 'WITHDRAW_TOKENS', 'key'],
  [/^\/r\/[^/]+\/(success|error)$/, 'CHECKOUT_RETURN', 'address'],
  // Processors send bursts from few addresses, and prove themselves by signature: they are not held up.
  [/^\/webhooks\/[^/]+\/[^/]+$/, 'PROCESSOR_WEBHOOK', 'nothing'],
] as const satisfies [RegExp, string, CountedBy][]

/** The gateway's service bindings. */
type Binding = (typeof ROUTES)[number][1]

/** Endpoints whose refusals have the same word in `code` as in `error` (contract section 4.7). */
const SAYS_CODE: Binding[] = ['BALANCES']

export interface Route {
  binding: Binding
  countedBy: CountedBy
  saysCode: boolean
}

/**
 * What answers a path, or null. A path with an escape or an empty segment is refused as a whole: the gateway and the
 * endpoint behind it must never read one path in two ways.
 */
export function routeOf(path: string): Route | null {
  if (/%|\/\/|\\/.test(path)) return null
  const route = ROUTES.find(([pattern]) => pattern.test(path))
  if (!route) return null
  const [, binding, countedBy] = route
  return { binding, countedBy, saysCode: SAYS_CODE.includes(binding) }
}
