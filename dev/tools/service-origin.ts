import { CommandError } from '../../cli/command.ts'
import type { WorkerConfig } from '../world/workers/wrangler-config.ts'

/**
 * Throws a `CommandError` unless all Workers that have a SERVICE_ORIGIN have the same. Nothing else fails where one lacks it: payments
 * are opened without the address of their webhooks, and users cannot return to the paywall's site.
 */
export function checkServiceOrigin(configs: WorkerConfig[]): void {
  const having = configs.filter(({ vars }) => 'SERVICE_ORIGIN' in vars)
  const origins = new Set(having.map(({ vars }) => String(vars.SERVICE_ORIGIN)))
  const [origin = ''] = origins
  if (origins.size === 1 && URL.parse(origin)?.origin === origin) return
  const given = having.map(({ env, vars }) => `${env} has "${vars.SERVICE_ORIGIN}"`).join(', ')
  throw new CommandError([
    `nothing was deployed, since SERVICE_ORIGIN must be one origin, such as https://billing.example, wherever wrangler.toml has it: ${given}`,
  ])
}
