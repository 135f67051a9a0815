import { sha256Hex } from '../../lib/crypto.ts'

/** The period of both limits in wrangler.toml, in seconds: after it a caller may try again. */
export const LIMIT_PERIOD_SECONDS = 10

/**
 * Whether a caller has used up its share of requests: an owner by its key, a user by its token, a guest by its address.
 * Whoever sends credentials is also counted by address, with an owner's share: made-up ones are no way around.
 * Counted per Cloudflare location and only about, as the binding does: a brake on abuse, not an account of use.
 */
export async function isOverLimit(request: Request, env: Cloudflare.GatewayEnv): Promise<boolean> {
  if (!env.RATE_LIMITED) return false
  const address = request.headers.get('cf-connecting-ip') ?? 'unknown'
  const key = request.headers.get('x-api-key')
  const token = request.headers.get('authorization')?.replace(/^bearer +/i, '')
  if (key === null && token === undefined) return isSpent(env.CALLER_LIMIT, address)
  const [limit, credential] = key === null ? [env.CALLER_LIMIT, token ?? ''] : [env.OWNER_LIMIT, key]
  const spent = [isSpent(limit, await sha256Hex(credential)), isSpent(env.OWNER_LIMIT, address)]
  return (await Promise.all(spent)).includes(true)
}

async function isSpent(limit: RateLimit, key: string): Promise<boolean> {
  return !(await limit.limit({ key })).success
}
