import { log } from '../../lib/log.ts'
import { preflight, withCors } from './cors.ts'
import { routeOf } from './routes.ts'

/** The one public door: finds the Worker by the path, and adds CORS and a request id. It holds nothing. */
export default {
  async fetch(request, env) {
    const requestId = crypto.randomUUID()
    const binding = routeOf(new URL(request.url).pathname)
    if (!binding) return withCors(Response.json({ error: 'not_found' }, { status: 404 }), requestId)
    if (request.method === 'OPTIONS') return preflight(requestId)

    const headers = new Headers(request.headers)
    headers.set('x-request-id', requestId)
    try {
      return withCors(await env[binding].fetch(new Request(request, { headers, redirect: 'manual' })), requestId)
    } catch (cause) {
      log('error', 'an endpoint did not answer', { request_id: requestId, binding, cause })
      return withCors(Response.json({ error: 'internal_error' }, { status: 500 }), requestId)
    }
  },
} satisfies ExportedHandler<Cloudflare.GatewayEnv>
