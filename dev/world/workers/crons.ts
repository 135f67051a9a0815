import type { Workers } from './workers.ts'
import { readWorkerConfigs } from './wrangler-config.ts'

/**
 * Fires the cron triggers of wrangler.toml, which Miniflare leaves alone: all of them, and more often than they say, so
 * that nobody waits a minute for what the service does by itself. One that is slow or fails holds up no other. Returns
 * how to stop.
 */
export function fireCrons(workers: Workers, everySeconds: number, onError: (error: unknown) => void): () => void {
  const envs = readWorkerConfigs().flatMap(({ env, crons }) => (crons.length > 0 ? [env] : []))
  const firing = new Set<string>()
  let stopped = false

  async function fire(env: string): Promise<void> {
    if (firing.has(env)) return
    firing.add(env)
    try {
      await workers.scheduled(env)
    } catch (error) {
      if (!stopped) onError(error)
    } finally {
      firing.delete(env)
    }
  }

  const timer = setInterval(() => {
    for (const env of envs) void fire(env)
  }, everySeconds * 1000)
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
