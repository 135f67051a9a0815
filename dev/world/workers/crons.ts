import type { Workers } from './workers.ts'
import { readWorkerConfigs } from './wrangler-config.ts'

/** Runs the cron triggers of wrangler.toml, which Miniflare does not schedule. */
export interface Crons {
  /** Runs a Worker's cron after the current run. Calls during a run share the next one. Resolves when the run has ended. */
  run(env: string): Promise<void>
  /**
   * Runs all crons more often than wrangler.toml schedules them, so that nobody has to wait a minute. A slow or failing cron does not
   * delay the others. Returns a function that stops them.
   */
  start(everySeconds: number, onError: (error: unknown) => void): () => void
}

export function createCrons(workers: Pick<Workers, 'scheduled'>): Crons {
  const running = new Map<string, Promise<void>>()
  /** The runs queued after those. */
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
