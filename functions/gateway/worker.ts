import { acceptsHtml } from '../../lib/http/error-page.ts'
import { loggablePaywallId } from '../../lib/http/paywall-target.ts'
import { loggedSdkVersion } from '../../lib/http/sdk-version.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { log } from '../../lib/log/log.ts'
import { htmlError, jsonError, preflight } from './answers.ts'
import { count, LIMIT_PERIOD_SECONDS, UNCOUNTED } from './limit.ts'
import type { Refusal } from './refusals.ts'
import { type Route, routeAt } from './routes.ts'

/**
 * The one public door: brakes abuse, finds the Worker by the path, and hands request and response on untouched. The
 * Worker gives its responses their request id and the headers that all have, so that a body streams past here.
 */
export default {
  async fetch(request, env) {
    const { pathname: path, origin } = new URL(request.url)
    const route = routeAt(origin, path, env.DOCS_ORIGIN)
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

/** The limits brake abuse and guard nothing: without them every caller may pass. */
function allowUncounted(cause: unknown): typeof UNCOUNTED {
  log('warn', 'a caller could not be counted', { cause })
  return UNCOUNTED
}

const RETRY_LATER = { 'Retry-After': String(LIMIT_PERIOD_SECONDS) }

interface Refused {
  request: Request
  path: string
  route: Route | null
  refusal: Refusal
  headers?: Record<string, string>
  /** Why the endpoint did not answer. */
  cause?: unknown
}

/** Refuses a request, and writes the line in the log that the endpoint writes for every request that reaches it. */
function refuse({ request, path, route, refusal, headers = {}, cause }: Refused): Response | Promise<Response> {
  const [status] = sharedErrors[refusal]
  const requestId = crypto.randomUUID()
  const place = { request_id: requestId, binding: route?.binding }
  if (cause !== undefined) log('error', 'an endpoint did not answer', { ...place, cause })
  const paywall_id = loggablePaywallId(route?.pattern.exec(path)?.groups?.id)
  const sdk_version = loggedSdkVersion(request.headers.get('x-sdk-version'))
  log('info', 'request', { ...place, method: request.method, paywall_id, sdk_version, status, refusal })
  if (acceptsHtml(request.headers) && !isForPrograms(route)) return htmlError(refusal, requestId, headers)
  return jsonError(refusal, requestId, { duplicateCode: route?.duplicateCode, headers })
}

/** The Workers whose answers browsers show to people. */
const FOR_PEOPLE: Route['binding'][] = ['PAGES', 'DOCS', 'CHECKOUT_RETURN']

/** Whether a path is one of those that programs call: they read JSON, whatever they accept. */
const isForPrograms = (route: Route | null): boolean => route !== null && !FOR_PEOPLE.includes(route.binding)
