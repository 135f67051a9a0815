import { CommandError } from '../../cli/command.ts'
import { roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import type { WorkerConfig } from '../world/workers/wrangler-config.ts'

/**
 * The secrets of a Worker: those that its block of wrangler.toml requires, and no others. Its DATABASE_URL logs in with the Worker's
 * own role. No Worker gets DATABASE_ROLES_KEY, from which all logins are derived. Throws a `CommandError` that names missing secrets.
 */
export function workerSecrets(config: WorkerConfig, all: Record<string, string>): Record<string, string> {
  const required = config.secrets
  if (required.includes('DATABASE_ROLES_KEY')) throw new CommandError([`${config.env} may not have DATABASE_ROLES_KEY`])
  const needed = required.includes('DATABASE_URL') ? [...required, 'DATABASE_ROLES_KEY'] : required
  const missing = needed.filter((name) => !all[name])
  if (missing.length > 0)
    throw new CommandError([`the secrets have no ${missing.join(', ')}, which ${config.env} requires`])
  return Object.fromEntries(
    required.map((name) => {
      const value = all[name]!
      return [name, name === 'DATABASE_URL' ? roleDatabaseUrl(config.env, value, all.DATABASE_ROLES_KEY!) : value]
    }),
  )
}
