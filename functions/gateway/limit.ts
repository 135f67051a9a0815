import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { CountedBy } from '../../lib/http/api-operation.ts'
import { type Networks, parseNetworks } from '../../lib/rate-limits/networks.ts'
import { isAccepted, isRecentlyAccepted, note } from './accepted.ts'

/** The period of both limits in wrangler.toml, in seconds, and the `Retry-After` of a refused call. */
export const LIMIT_PERIOD_SECONDS = 10

/** A call that was counted. */
interface Counted {
  /** Whether its caller has exceeded the limit. */
  isOver: boolean
  /** Must be called with the status of the endpoint's response, which shows whether the caller's proof is valid. */
  learn(status: number): void
}

/** A call that is not counted. */
export const UNCOUNTED: Counted = { isOver: false, learn: () => {} }

/** A rate limit of wrangler.toml. */
export interface Limit {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

interface Limits {
  RATE_LIMITED: boolean
  /** The limit of an owner. */
  OWNER_LIMIT: Limit
  /** The limit of a user or a guest. */
  CALLER_LIMIT: Limit
  /** The limit of all guests behind an IPv4 address, which offices and mobile networks share. An IPv6 /64 belongs to one household. */
  IPV4_LIMIT: Limit
}

/**
 * Counts a call: by owner key, by access token, or by a guest's network. Guests and users are also counted by their wide network, with an
 * owner's limit, because anybody can have any number of small networks and tokens. Requests for a page count by the wide network alone,
 * because a page makes several at once. A key that no endpoint has accepted yet counts as a guest's call, and so does a webhook from a
 * network that has sent no correctly signed one for that paywall in the last hour. The binding counts per Cloudflare location, and only
 * approximately: this throttles abuse and measures nothing.
 */
export async function count(request: Request, env: Limits, countedBy: CountedBy): Promise<Counted> {
  if (!env.RATE_LIMITED) return UNCOUNTED
  const networks = parseNetworks(request.headers.get('cf-connecting-ip'))
  const key = countedBy === 'key' ? request.headers.get('x-api-key') : null
  if (key !== null) {
    const hash = await sha256Hex(key)
    const guest = guestKey(networks)
    return countByProof(env, networks, `key ${hash}`, { isGood: keyIsGood, ownerKey: hash, guest })
  }
  if (countedBy === 'network') return { ...UNCOUNTED, isOver: await isSpent(env.OWNER_LIMIT, networks.wide) }
  if (countedBy === 'signature') return countWebhook(request, env, networks)
  const token = countedBy === 'address' ? null : request.headers.get('authorization')?.replace(/^bearer +/i, '')
  if (token) return { ...UNCOUNTED, isOver: await exceedsGuestLimits(env, networks, await sha256Hex(token)) }
  const limit = networks.near.includes('.') ? env.IPV4_LIMIT : env.CALLER_LIMIT
  return { ...UNCOUNTED, isOver: await exceedsGuestLimits(env, networks, networks.near, limit) }
}

/**
 * Counts a processor's webhook by its network and its path, which names the paywall: whoever can sign for one paywall, such as its owner,
 * is unknown at all others. If a network was genuine for one paywall, its first webhooks for other paywalls are counted per paywall,
 * because a processor sends for many at once.
 */
async function countWebhook(request: Request, env: Limits, networks: Networks): Promise<Counted> {
  const sender = `sender ${networks.near}`
  const proof = `${sender} ${new URL(request.url).pathname}`
  const guest = isRecentlyAccepted(sender) ? `unproven ${proof}` : guestKey(networks)
  // A form is an unsigned notice: its acceptance proves nothing about the sender.
  if (isForm(request)) return { ...UNCOUNTED, isOver: await exceedsGuestLimits(env, networks, guest) }
  const counted = await countByProof(env, networks, proof, { isGood: signatureIsGood, ownerKey: proof, guest })
  function learn(status: number): void {
    counted.learn(status)
    if (signatureIsGood(status, false)) note(sender, true)
  }
  return { ...counted, learn }
}

const isForm = ({ headers }: Request) =>
  headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true

/** The key by which calls without a proof are counted. Guests do not use up the limit of callers at the same address who have a proof. */
const guestKey = ({ near }: Networks): string => `unproven ${near}`

interface ProofRules {
  /** Whether a response shows that the proof is valid; null if it shows neither. */
  isGood: (status: number, known: boolean) => boolean | null
  /** The key of the owner's limit, once the proof was accepted. */
  ownerKey: string
  /** The key of the guest's limit until then. */
  guest: string
}

/** Counts a call whose proof only its endpoint can verify. */
async function countByProof(
  env: Limits,
  networks: Networks,
  proof: string,
  { isGood, ownerKey, guest }: ProofRules,
): Promise<Counted> {
  const known = await isAccepted(proof)
  const isOver = known ? await isSpent(env.OWNER_LIMIT, ownerKey) : await exceedsGuestLimits(env, networks, guest)
  if (isOver) note(proof, null)
  return { isOver, learn: (status) => note(proof, isGood(status, known)) }
}

/** The caller's own limit is checked first: a caller that exceeds it does not use up the limit of its wide network. */
async function exceedsGuestLimits(
  env: Limits,
  { wide }: Networks,
  own: string,
  limit: Limit = env.CALLER_LIMIT,
): Promise<boolean> {
  return (await isSpent(limit, own)) || (await isSpent(env.OWNER_LIMIT, wide))
}

/** Every endpoint answers an invalid key with 401. A response that failed, or was refused before the key was checked, shows nothing. */
function keyIsGood(status: number): boolean | null {
  if (status === 401) return false
  return status === 405 || status === 413 || status >= 500 ? null : true
}

/** A refused webhook does not discredit a genuine sender: others may forge from its network, and secrets are rotated. */
function signatureIsGood(status: number, known: boolean): boolean | null {
  if (status < 300) return true
  return known || status >= 500 ? null : false
}

async function isSpent(limit: Limit, key: string): Promise<boolean> {
  return !(await limit.limit({ key })).success
}
