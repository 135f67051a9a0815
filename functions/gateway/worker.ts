import { log } from '../../lib/http/log.ts'
import { sharedWords } from '../../lib/http/shared-words.ts'
import { answer, preflight, refusal } from './answers.ts'
import { isOverLimit, LIMIT_PERIOD_SECONDS } from './limit.ts'
import { routeOf } from './routes.ts'

/** The one public door: finds the Worker by the path, brakes abuse, and adds CORS and a request id. */
export default {
  async fetch(request, env) {
    const requestId = crypto.randomUUID()
    const route = routeOf(new URL(request.url).pathname)
    if (!route) return refusal(sharedWords.not_found, requestId)
    if (request.method === 'OPTIONS') return preflight(requestId)
    if (await isOverLimit(request, env, route.countedBy)) {
      const headers = { 'Retry-After': String(LIMIT_PERIOD_SECONDS) }
      return refusal(sharedWords.rate_limited, requestId, { ...route, headers })
    }

    const headers = new Headers(request.headers)
    headers.set('x-request-id', requestId)
    try {
      return answer(await env[route.binding].fetch(new Request(request, { headers, redirect: 'manual' })), requestId)
    } catch (cause) {
      log('error', 'an endpoint did not answer', { request_id: requestId, binding: route.binding, cause })
      return refusal(sharedWords.failed, requestId, route)
    }
  },
} satisfies ExportedHandler<Cloudflare.GatewayEnv>
