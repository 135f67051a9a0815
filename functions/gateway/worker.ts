import type { Wording } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { loggable } from '../../lib/http/place.ts'
import { sharedWords } from '../../lib/http/shared-words.ts'
import { answer, preflight, refusal } from './answers.ts'
import { isOverLimit, LIMIT_PERIOD_SECONDS } from './limit.ts'
import { type Route, routeOf } from './routes.ts'

/** The one public door: finds the Worker by the path, brakes abuse, and adds CORS and a request id. */
export default {
  async fetch(request, env) {
    const requestId = crypto.randomUUID()
    const route = routeOf(new URL(request.url).pathname)
    const refuse = (wording: Wording, headers: HeadersInit = {}) => {
      logRefusal(request, requestId, wording, route)
      return refusal(wording, requestId, { saysCode: route?.saysCode ?? false, headers })
    }

    if (!route) return refuse(sharedWords.not_found)
    if (request.method === 'OPTIONS') return preflight(requestId)
    if (await isOverLimit(request, env, route.countedBy)) {
      return refuse(sharedWords.rate_limited, { 'Retry-After': String(LIMIT_PERIOD_SECONDS) })
    }

    const forwarded = new Request(request, { redirect: 'manual' })
    forwarded.headers.set('x-request-id', requestId)
    try {
      return answer(await env[route.binding].fetch(forwarded), requestId)
    } catch (cause) {
      log('error', 'an endpoint did not answer', { request_id: requestId, binding: route.binding, cause })
      return refuse(sharedWords.failed)
    }
  },
} satisfies ExportedHandler<Cloudflare.GatewayEnv>

/** The request's line in the log, which the endpoint writes for every request that reaches it. */
function logRefusal(request: Request, requestId: string, [status, , refusal]: Wording, route: Route | null): void {
  const parameters = route?.pattern.exec(new URL(request.url).pathname)?.groups
  log('info', 'request', {
    request_id: requestId,
    method: request.method,
    binding: route?.binding,
    paywall_id: loggable(parameters?.id),
    status,
    refusal,
  })
}
