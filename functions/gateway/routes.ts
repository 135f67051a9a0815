/** Which Worker answers a path. A line an endpoint; the contract's section 4 is the same list. */
export const ROUTES = [
  [/^\/(docs|openapi\.json)$/, 'DOCS'],
  [/^\/api\/v1\/paywall\/[^/]+\/bootstrap$/, 'BOOTSTRAP'],
  [/^\/api\/v1\/paywall\/[^/]+\/start-checkout$/, 'START_CHECKOUT'],
  [/^\/api\/v1\/paywall\/[^/]+\/user$/, 'USER'],
  [/^\/api\/paywall\/cancel-subscription$/, 'CANCEL_SUBSCRIPTION'],
  [/^\/api\/v1\/paywall\/[^/]+\/get-customer-portal$/, 'GET_CUSTOMER_PORTAL'],
  [/^\/api\/v1\/paywall\/[^/]+\/support\/ticket$/, 'SUPPORT_TICKET'],
  [/^\/api\/v1\/paywall\/[^/]+\/sign-in\/(code|token|exchange)$/, 'SIGN_IN'],
  [/^\/api\/v1\/paywall\/[^/]+\/balances$/, 'BALANCES'],
  [/^\/api\/v1\/withdraw-tokens$/, 'WITHDRAW_TOKENS'],
  [/^\/r\/[^/]+\/(success|error)$/, 'CHECKOUT_RETURN'],
  [/^\/webhooks\/[^/]+\/[^/]+$/, 'PROCESSOR_WEBHOOK'],
] as const

/** The gateway's service bindings. */
type Binding = (typeof ROUTES)[number][1]

/** Processors send bursts from few addresses, and prove themselves by signature: they are not held up. */
const UNLIMITED: Binding[] = ['PROCESSOR_WEBHOOK']

/** Endpoints whose refusals have the same word in `code` as in `error` (contract section 4.7). */
const SAYS_CODE: Binding[] = ['BALANCES']

export interface Route {
  binding: Binding
  limited: boolean
  saysCode: boolean
}

/**
 * What answers a path, or null. A path with an escape or an empty segment is refused as a whole: the gateway and the
 * endpoint behind it must never read one path in two ways.
 */
export function routeOf(path: string): Route | null {
  if (/%|\/\/|\\/.test(path)) return null
  const binding = ROUTES.find(([pattern]) => pattern.test(path))?.[1]
  return binding ? { binding, limited: !UNLIMITED.includes(binding), saysCode: SAYS_CODE.includes(binding) } : null
}
