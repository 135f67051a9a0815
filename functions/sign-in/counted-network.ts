import type { Context } from 'hono'
import { parseNetworks } from '../../lib/rate-limits/networks.ts'

/** The network whose mails and guesses a call counts for; null if none are counted. */
export function countedNetwork(c: Context<{ Bindings: Cloudflare.SignInEnv }>): string | null {
  return c.env.RATE_LIMITED ? parseNetworks(c.req.header('cf-connecting-ip')).wide : null
}
