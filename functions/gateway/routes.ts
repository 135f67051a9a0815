/** Which Worker answers a path. A line an endpoint; the contract's section 4 is the same list. */
const ROUTES: [path: RegExp, binding: keyof Cloudflare.GatewayEnv][] = [
  [/^\/api\/v1\/paywall\/[^/]+\/bootstrap$/, 'BOOTSTRAP'],
  [/^\/api\/v1\/paywall\/[^/]+\/start-checkout$/, 'START_CHECKOUT'],
  [/^\/api\/v1\/paywall\/[^/]+\/user$/, 'USER'],
  [/^\/api\/paywall\/cancel-subscription$/, 'CANCEL_SUBSCRIPTION'],
  [/^\/api\/v1\/paywall\/[^/]+\/get-customer-portal$/, 'GET_CUSTOMER_PORTAL'],
  [/^\/api\/v1\/paywall\/[^/]+\/sign-in\/exchange$/, 'SIGN_IN'],
  [/^\/api\/v1\/paywall\/[^/]+\/balances$/, 'BALANCES'],
  [/^\/api\/v1\/withdraw-tokens$/, 'WITHDRAW_TOKENS'],
  [/^\/r\/[^/]+\/(success|error)$/, 'CHECKOUT_RETURN'],
  [/^\/webhooks\/[^/]+\/[^/]+$/, 'PROCESSOR_WEBHOOK'],
]

/**
 * The binding that answers a path, or null. A path with an escape or an empty segment is refused as a whole: the gateway
 * and the endpoint behind it must never read one path in two ways.
 */
export function routeOf(path: string): keyof Cloudflare.GatewayEnv | null {
  if (/%|\/\/|\\/.test(path)) return null
  return ROUTES.find(([pattern]) => pattern.test(path))?.[1] ?? null
}
