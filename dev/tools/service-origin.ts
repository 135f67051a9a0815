import { CommandError } from '../../cli/command.ts'
import type { WorkerConfig } from '../world/workers/wrangler-config.ts'

/**
 * Throws a `CommandError` unless all Workers with a SERVICE_ORIGIN have the same one. Nothing else would detect a mistake: payments would
 * be opened without a webhook URL, and users could not return to the paywall's site.
 */
export function checkServiceOrigin(configs: WorkerConfig[]): void {
  const having = configs.filter(({ vars }) => 'SERVICE_ORIGIN' in vars)
  const origins = new Set(having.map(({ vars }) => String(vars.SERVICE_ORIGIN)))
  const [origin = ''] = origins
  if (origins.size === 1 && URL.parse(origin)?.origin === origin) return
  const given = having.map(({ env, vars }) => `${env} has "${vars.SERVICE_ORIGIN}"`).join(', ')
  throw new CommandError([
    `nothing was deployed: SERVICE_ORIGIN must be the same origin, such as https://billing.example, everywhere in wrangler.toml: ${given}`,
  ])
}
