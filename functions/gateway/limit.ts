import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { CountedBy } from '../../lib/http/api-operation.ts'
import { type Networks, parseNetworks } from '../../lib/rate-limits/networks.ts'
import { isAccepted, isRecentlyAccepted, note } from './accepted.ts'

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
 * for that paywall in the last hour, count as a guest's call. The binding counts per Cloudflare location, and only roughly: this
 * brakes abuse and measures nothing.
 */
export async function count(request: Request, env: Limits, countedBy: CountedBy): Promise<Counted> {
  if (!env.RATE_LIMITED) return UNCOUNTED
  const networks = parseNetworks(request.headers.get('cf-connecting-ip'))
  const key = countedBy === 'key' ? request.headers.get('x-api-key') : null
  if (key !== null) {
    const hash = await sha256Hex(key)
    const guest = guestKey(networks)
    return countProven(env, networks, `key ${hash}`, { isGood: keyIsGood, share: hash, guest })
  }
  if (countedBy === 'network') return { ...UNCOUNTED, isOver: await isSpent(env.OWNER_LIMIT, networks.wide) }
  if (countedBy === 'signature') return countWebhook(request, env, networks)
  const token = countedBy === 'address' ? null : request.headers.get('authorization')?.replace(/^bearer +/i, '')
  const isOver = await isOverShares(env, networks, token ? await sha256Hex(token) : networks.near)
  return { ...UNCOUNTED, isOver }
}

/**
 * Counts a processor's webhook by the network that it comes from and its path, which names the paywall: whoever can sign for one
 * paywall, such as its owner, is nobody at all others. Where a network was genuine for one, the first webhooks for others are counted
 * for each paywall by itself, because a processor sends for many at once.
 */
async function countWebhook(request: Request, env: Limits, networks: Networks): Promise<Counted> {
  const sender = `sender ${networks.near}`
  const proof = `${sender} ${new URL(request.url).pathname}`
  const guest = isRecentlyAccepted(sender) ? `unproven ${proof}` : guestKey(networks)
  // A form is an unsigned notice: that it is accepted proves nothing of who has sent it.
  if (isForm(request)) return { ...UNCOUNTED, isOver: await isOverShares(env, networks, guest) }
  const counted = await countProven(env, networks, proof, { isGood: signatureIsGood, share: proof, guest })
  function learn(status: number): void {
    counted.learn(status)
    if (signatureIsGood(status, false)) note(sender, true)
  }
  return { ...counted, learn }
}

const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true

/** By what calls without a proof count. Guests at the same address take nothing from those who have one to show. */
const guestKey = ({ near }: Networks): string => `unproven ${near}`

interface Proven {
  /** Whether an answer shows that the proof is good; null: it shows neither. */
  isGood: (status: number, known: boolean) => boolean | null
  /** By what the call has an owner's share, once the proof was accepted. */
  share: string
  /** By what it has a guest's share until then. */
  guest: string
}

/** Counts a call whose proof only its endpoint can check. */
async function countProven(
  env: Limits,
  networks: Networks,
  proof: string,
  { isGood, share, guest }: Proven,
): Promise<Counted> {
  const known = await isAccepted(proof)
  const isOver = known ? await isSpent(env.OWNER_LIMIT, share) : await isOverShares(env, networks, guest)
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

/** A refused webhook takes nothing from a sender that was genuine: others may forge from its network, and secrets are rotated. */
function signatureIsGood(status: number, known: boolean): boolean | null {
  if (status < 300) return true
  return known || status >= 500 ? null : false
}

async function isSpent(limit: Limit, key: string): Promise<boolean> {
  return !(await limit.limit({ key })).success
}
