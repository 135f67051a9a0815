import type { Workers } from './workers.ts'
import { readWorkerConfigs } from './wrangler-config.ts'

/**
 * Fires the cron triggers of wrangler.toml, which Miniflare leaves alone: all of them, and more often than they say, so
 * that nobody waits a minute for what the service does by itself. Returns how to stop.
 */
export function fireCrons(workers: Workers, everySeconds: number, onError: (error: unknown) => void): () => void {
  const envs = readWorkerConfigs().flatMap(({ env, crons }) => (crons.length > 0 ? [env] : []))
  let stopped = false
  let firing = false

  async function fire(): Promise<void> {
    if (firing) return
    firing = true
    try {
      for (const env of envs) await workers.scheduled(env)
    } catch (error) {
      if (!stopped) onError(error)
    } finally {
      firing = false
    }
  }

  const timer = setInterval(() => void fire(), everySeconds * 1000)
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
