import ipaddr from 'ipaddr.js'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { CountedBy } from '../../lib/http/api-operation.ts'

/** The period of both limits in wrangler.toml, in seconds. A refused caller may try again after it. */
export const LIMIT_PERIOD_SECONDS = 10

/**
 * Whether a caller has used up its share of requests: an owner by its key, a user by its token, a guest by its address.
 * A caller with a credential is also counted by address, with an owner's share, because inventing credentials would
 * otherwise give any number of shares. The binding counts per Cloudflare location, and only roughly: this brakes abuse
 * and measures nothing.
 */
export async function isOverLimit(
  request: Request,
  env: Cloudflare.GatewayEnv,
  countedBy: CountedBy,
): Promise<boolean> {
  if (!env.RATE_LIMITED || countedBy === 'nothing') return false
  const address = networkOf(request.headers.get('cf-connecting-ip') ?? 'unknown')
  const key = countedBy === 'key' ? request.headers.get('x-api-key') : null
  const token = countedBy === 'address' ? null : request.headers.get('authorization')?.replace(/^bearer +/i, '')
  const credential = key ?? token ?? null
  if (credential === null) return isSpent(env.CALLER_LIMIT, address)
  const limit = key === null ? env.CALLER_LIMIT : env.OWNER_LIMIT
  const spent = [isSpent(limit, await sha256Hex(credential)), isSpent(env.OWNER_LIMIT, address)]
  return (await Promise.all(spent)).includes(true)
}

/** An IPv6 caller has a /64 network of addresses, which therefore count as one. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()
}

async function isSpent(limit: RateLimit, key: string): Promise<boolean> {
  return !(await limit.limit({ key })).success
}
