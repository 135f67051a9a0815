import { randomUUID } from 'node:crypto'
import type { WorkerConfig } from './wrangler-config.ts'

/** The Worker that triggers the crons of the others: a request names a Worker and its cron, the response has the outcome. */
const SCRIPT = `
export default {
  async fetch(request, env) {
    const { worker, cron } = await request.json()
    return Response.json(await env[worker].scheduled({ cron }))
  },
}
`
const CRON_WORKER = 'local-crons'

/** A random URL, so that nobody outside can call it. */
export const CRON_URL = `http://${randomUUID()}.crons/`

/**
 * Used instead of Miniflare's own cron trigger, which waits for the runtime without reading the runtime's log: when the log's pipe is
 * full, both deadlock.
 */
export const cronWorker = (configs: WorkerConfig[]) => ({
  name: CRON_WORKER,
  modules: true as const,
  script: SCRIPT,
  compatibilityDate: configs[0]?.compatibilityDate ?? '',
  compatibilityFlags: ['service_binding_extra_handlers'],
  routes: [`${CRON_URL}*`],
  serviceBindings: Object.fromEntries(
    configs.filter(({ crons }) => crons.length > 0).map(({ env, name }) => [env, name]),
  ),
})
