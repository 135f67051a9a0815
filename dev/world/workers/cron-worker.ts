import { randomUUID } from 'node:crypto'
import type { WorkerConfig } from './wrangler-config.ts'

/** The Worker that fires the crons of the others: a request names the Worker and its cron, and the answer how that ended. */
const SCRIPT = `
export default {
  async fetch(request, env) {
    const { worker, cron } = await request.json()
    return Response.json(await env[worker].scheduled({ cron }))
  },
}
`
const CRON_WORKER = 'local-crons'

/** Where it is reached, which nobody outside can know. */
export const CRON_URL = `http://${randomUUID()}.crons/`

/**
 * Miniflare's own way to fire a cron waits for the runtime without reading what the runtime logs. If the pipe of its log is full, each waits
 * for the other for ever.
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
