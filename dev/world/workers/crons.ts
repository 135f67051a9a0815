import type { Workers } from './workers.ts'
import { readWorkerConfigs } from './wrangler-config.ts'

/** The cron triggers of wrangler.toml, which Miniflare leaves alone. */
export interface Crons {
  /** Runs the cron of a Worker, after the run that is under way, for all who ask meanwhile. Resolves when it has done its work. */
  run(env: string): Promise<void>
  /**
   * Runs all of them, and more often than wrangler.toml says, so that nobody waits a minute for what the service does by itself.
   * One that is slow or fails holds up no other. Returns how to stop.
   */
  start(everySeconds: number, onError: (error: unknown) => void): () => void
}

export function createCrons(workers: Pick<Workers, 'scheduled'>): Crons {
  const running = new Map<string, Promise<void>>()
  /** The runs that follow those. */
  const next = new Map<string, Promise<void>>()

  function start(env: string): Promise<void> {
    next.delete(env)
    const done = workers.scheduled(env)
    const ended = () => void (running.get(env) === done && running.delete(env))
    running.set(env, done)
    done.then(ended, ended)
    return done
  }

  function run(env: string): Promise<void> {
    const before = running.get(env)
    const shared = next.get(env)
    if (shared) return shared
    if (!before) return start(env)
    const again = () => start(env)
    const following = before.then(again, again)
    next.set(env, following)
    return following
  }

  return {
    run,
    start(everySeconds, onError) {
      const envs = readWorkerConfigs().flatMap(({ env, crons }) => (crons.length > 0 ? [env] : []))
      let stopped = false
      const timer = setInterval(() => {
        for (const env of envs) if (!running.has(env)) run(env).catch((error) => stopped || onError(error))
      }, everySeconds * 1000)
      return () => {
        stopped = true
        clearInterval(timer)
      }
    },
  }
}
