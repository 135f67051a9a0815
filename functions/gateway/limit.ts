import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { CountedBy } from '../../lib/http/api-operation.ts'
import { type Networks, networksOf } from '../../lib/http/networks.ts'
import { isAccepted, note } from './accepted.ts'

/** The period of both limits in wrangler.toml, in seconds. A refused caller may try again after it. */
export const LIMIT_PERIOD_SECONDS = 10

/** A call that was counted. */
interface Counted {
  /** Whether its caller has used up its share of requests. */
  isOver: boolean
  /** To be told with what status the endpoint answered: that says what the caller's proof is worth. */
  learn(status: number): void
}

/** A call that nobody counts. */
export const UNCOUNTED: Counted = { isOver: false, learn: () => {} }

/** A rate limit of wrangler.toml. */
export interface Limit {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

interface Limits {
  RATE_LIMITED: boolean
  /** An owner's share. */
  OWNER_LIMIT: Limit
  /** A user's, or a guest's. */
  CALLER_LIMIT: Limit
}

/**
 * Counts a call: an owner's by its key, a user's by its token, a guest's by its network. Guests and users are also counted by
 * their wide network, with an owner's share, because networks and tokens can be invented. What a page loads counts by that alone,
 * because it is several requests at once. A key that no endpoint has accepted yet, and a webhook from where none was signed rightly
 * yet, count as a guest's call. The binding counts per Cloudflare location, and only roughly: this brakes abuse and measures nothing.
 */
export async function count(request: Request, env: Limits, countedBy: CountedBy): Promise<Counted> {
  if (!env.RATE_LIMITED) return UNCOUNTED
  const networks = networksOf(request.headers.get('cf-connecting-ip'))
  const key = countedBy === 'key' ? request.headers.get('x-api-key') : null
  if (key !== null) {
    const hash = await sha256Hex(key)
    return countProven(env, networks, `key ${hash}`, { isGood: keyIsGood, share: () => isSpent(env.OWNER_LIMIT, hash) })
  }
  if (countedBy === 'network') return { ...UNCOUNTED, isOver: await isSpent(env.OWNER_LIMIT, networks.wide) }
  if (countedBy === 'signature') {
    return countProven(env, networks, `sender ${networks.near}`, { isGood: signatureIsGood, share: async () => false })
  }
  const token = countedBy === 'address' ? null : request.headers.get('authorization')?.replace(/^bearer +/i, '')
  const isOver = await isOverShares(env, networks, token ? await sha256Hex(token) : networks.near)
  return { ...UNCOUNTED, isOver }
}

/** Counts a call whose proof only its endpoint can check. `share` counts it once the proof was accepted. */
async function countProven(
  env: Limits,
  networks: Networks,
  proof: string,
  { isGood, share }: { isGood: typeof signatureIsGood; share: () => Promise<boolean> },
): Promise<Counted> {
  const known = await isAccepted(proof)
  // Guests at the same address take nothing from those who have a proof to show.
  const isOver = known ? await share() : await isOverShares(env, networks, `unproven ${networks.near}`)
  if (isOver) note(proof, null)
  return { isOver, learn: (status) => note(proof, isGood(status, known)) }
}

/** The caller's own share comes first: who has used it up takes nothing from others of the wide network. */
async function isOverShares(env: Limits, { wide }: Networks, own: string): Promise<boolean> {
  return (await isSpent(env.CALLER_LIMIT, own)) || (await isSpent(env.OWNER_LIMIT, wide))
}

/** Every endpoint answers a bad key with 401. One that fails, or refuses before it looks at the key, says nothing of it. */
function keyIsGood(status: number): boolean | null {
  if (status === 401) return false
  return status === 405 || status === 413 || status >= 500 ? null : true
}

/**
 * A network from which a processor's signed event came stays good: a paywall with a wrong secret, whose events are refused, must
 * not hold up those of others.
 */
function signatureIsGood(status: number, known: boolean): boolean | null {
  if (status < 300) return true
  return known || status >= 500 ? null : false
}

async function isSpent(limit: Limit, key: string): Promise<boolean> {
  return !(await limit.limit({ key })).success
}
