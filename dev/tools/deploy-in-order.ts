import { CommandError } from '../../cli/command.ts'
import type { WorkerConfig } from '../world/workers/wrangler-config.ts'

/** What a deploy consists of. Each throws if it fails. */
export interface Steps {
  /** Brings the database to what this tree needs. The last time it also removes what no Worker uses any more. */
  migrate(options: { isLast: boolean }): Promise<void>
  deploy(config: WorkerConfig): void
}

/**
 * Migrates the database, deploys the Workers, those that others call first, and then removes the releases of functions that
 * are two behind, and old logins: only now, since a deploy before this one may have failed halfway, and its Workers still use
 * theirs. Does nothing more once a step has failed.
 */
export async function deployInOrder(configs: WorkerConfig[], { migrate, deploy }: Steps): Promise<void> {
  const ordered = calledFirst(configs)
  await migrate({ isLast: false })
  for (const config of ordered) deploy(config)
  await migrate({ isLast: true })
}

/** A service binding can only name a Worker that exists, so a Worker comes after those it calls. */
function calledFirst(configs: WorkerConfig[]): WorkerConfig[] {
  const ordered = new Set<WorkerConfig>()
  function place(config: WorkerConfig, callers: WorkerConfig[]): void {
    if (callers.includes(config))
      throw new CommandError([`wrangler.toml: ${config.env} calls itself through its services`])
    for (const { service: name } of config.services) {
      const called = configs.find((other) => other.name === name)
      if (called) place(called, [...callers, config])
    }
    ordered.add(config)
  }
  for (const config of configs) place(config, [])
  return [...ordered]
}
