import { sha256Hex } from '../../lib/crypto.ts'

/** The period of both limits in wrangler.toml, in seconds: after it a caller may try again. */
export const LIMIT_PERIOD_SECONDS = 10

/**
 * Whether a caller has used up its share of requests: an owner by its key, a user by its token, a guest by its address.
 * Counted per Cloudflare location and only about, as the binding does: a brake on abuse, not an account of use.
 */
export async function isOverLimit(request: Request, env: Cloudflare.GatewayEnv): Promise<boolean> {
  if (!env.RATE_LIMITED) return false
  const key = request.headers.get('x-api-key')
  if (key !== null) return isSpent(env.OWNER_LIMIT, await sha256Hex(key))
  const token = request.headers.get('authorization')
  if (token !== null) return isSpent(env.CALLER_LIMIT, await sha256Hex(token))
  return isSpent(env.CALLER_LIMIT, request.headers.get('cf-connecting-ip') ?? 'unknown')
}

async function isSpent(limit: RateLimit, key: string): Promise<boolean> {
  return !(await limit.limit({ key })).success
}
