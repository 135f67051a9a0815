import { CommandError } from '../../cli/command.ts'
import type { WorkerConfig } from '../world/workers/wrangler-config.ts'

/** The steps of a deploy. Each throws if it fails. */
export interface Steps {
  /** Migrates the database. The last call also removes what no Worker uses any longer. */
  migrate(options: { isLast: boolean }): Promise<void>
  deploy(config: WorkerConfig): void
}

/**
 * Migrates the database, deploys the Workers in dependency order, and then removes function releases that are two versions old,
 * and old logins. These are removed last because Workers of an earlier deploy that failed halfway may still use them. Stops at
 * the first step that fails.
 */
export async function deployInOrder(configs: WorkerConfig[], { migrate, deploy }: Steps): Promise<void> {
  const ordered = orderByDependencies(configs)
  await migrate({ isLast: false })
  for (const config of ordered) deploy(config)
  await migrate({ isLast: true })
}

/** A service binding can only name an existing Worker, so each Worker is deployed after those it calls. */
function orderByDependencies(configs: WorkerConfig[]): WorkerConfig[] {
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
