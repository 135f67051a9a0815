import { acceptsHtml } from '../../lib/http/error-page.ts'
import { loggablePaywallId } from '../../lib/http/paywall-target.ts'
import { loggedSdkVersion } from '../../lib/http/sdk-version.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { log } from '../../lib/log/log.ts'
import { count, LIMIT_PERIOD_SECONDS, UNCOUNTED } from './limit.ts'
import type { Refusal } from './refusals.ts'
import { htmlError, jsonError, preflight } from './responses.ts'
import { type Route, routeAt } from './routes.ts'

/**
 * The only public Worker: throttles abuse, finds the endpoint's Worker by the path, and passes request and response through unchanged. That
 * Worker adds the request id and the common headers, so that a body streams through here.
 */
export default {
  async fetch(request, env) {
    const { pathname: path, origin } = new URL(request.url)
    const route = routeAt(origin, path, env)
    if (!route) return refuse({ request, path, route, refusal: 'not_found' })
    if (request.method === 'OPTIONS') return preflight(crypto.randomUUID())
    const counted = await count(request, env, route.countedBy).catch(allowUncounted)
    if (counted.isOver) return refuse({ request, path, route, refusal: 'rate_limited', headers: RETRY_LATER })
    try {
      const response = await env[route.binding].fetch(request)
      counted.learn(response.status)
      return response
    } catch (cause) {
      counted.learn(sharedErrors.failed[0])
      return refuse({ request, path, route, refusal: 'failed', cause })
    }
  },
} satisfies ExportedHandler<Cloudflare.GatewayEnv>

/** The limits only throttle abuse: if counting fails, every caller passes. */
function allowUncounted(cause: unknown): typeof UNCOUNTED {
  log('warn', 'rate limit unavailable', { cause })
  return UNCOUNTED
}

const RETRY_LATER = { 'Retry-After': String(LIMIT_PERIOD_SECONDS) }

interface Refused {
  request: Request
  path: string
  route: Route | null
  refusal: Refusal
  headers?: Record<string, string>
  /** Why the endpoint did not respond. */
  cause?: unknown
}

/** Refuses a request, and writes the log line that an endpoint writes for each request that reaches it. */
function refuse({ request, path, route, refusal, headers = {}, cause }: Refused): Response | Promise<Response> {
  const [status] = sharedErrors[refusal]
  const requestId = crypto.randomUUID()
  const place = { request_id: requestId, binding: route?.binding }
  if (cause !== undefined) log('error', 'endpoint did not respond', { ...place, cause })
  const paywall_id = loggablePaywallId(route?.pattern.exec(path)?.groups?.id)
  const sdk_version = loggedSdkVersion(request.headers.get('x-sdk-version'))
  log('info', 'request', { ...place, method: request.method, paywall_id, sdk_version, status, refusal })
  if (acceptsHtml(request.headers) && !isForPrograms(route))
    return htmlError(refusal, requestId, { request, path, headers })
  return jsonError(refusal, requestId, { duplicateCode: route?.duplicateCode, headers })
}

/** The Workers whose responses browsers render. */
const FOR_PEOPLE: Route['binding'][] = ['PAGES', 'DOCS', 'CONSOLE', 'CHECKOUT_RETURN']

/** Whether a path is called by programs: they read JSON, whatever their Accept header says. */
const isForPrograms = (route: Route | null): boolean => route !== null && !FOR_PEOPLE.includes(route.binding)
