import * as z from 'zod'
import type { Credential } from '../../lib/auth/credential.ts'
import type { PaywallTarget } from '../../lib/http/paywall-target.ts'
import { log } from '../../lib/log/log.ts'
import type { CheckoutReply } from './claimed-checkout.ts'
import { type CheckoutRequest, Reply } from './contract.ts'

/** How long a finished reply is kept, in seconds: the contract's window (section 8). */
const WINDOW_SECONDS = 24 * 60 * 60

const CachedReply = z.object({ hash: z.string(), reply: Reply })

/**
 * Finished replies by credential and Idempotency-Key: the fast path of a replay, which needs no database. KV is eventually consistent, so a
 * miss is decided by Postgres. Credentials are not verified on this path, so the credential and the host are part of the KV key: only the
 * credential that got the reply, at the same host, finds it.
 */
export async function readCachedReply(
  kv: KVNamespace,
  target: PaywallTarget,
  credential: Credential,
  request: CheckoutRequest,
): Promise<z.output<typeof CachedReply> | null> {
  if (!request.hasKey) return null
  try {
    return CachedReply.nullable().parse(await kv.get(replyKey(target, credential, request), 'json'))
  } catch (cause) {
    log('warn', 'checkout replies unavailable', { cause })
    return null
  }
}

export async function cacheReply(
  kv: KVNamespace,
  target: PaywallTarget,
  credential: Credential,
  request: CheckoutRequest,
  reply: CheckoutReply,
): Promise<void> {
  if (!request.hasKey) return
  const cached = JSON.stringify({ hash: request.hash, reply } satisfies z.input<typeof CachedReply>)
  await kv.put(replyKey(target, credential, request), cached, { expirationTtl: WINDOW_SECONDS })
}

/** The reply's fields in a fixed order, whether from KV or Postgres: a replay is byte-identical to the first response. */
export const inOrder = ({ checkoutUrl, userId, acquiring }: CheckoutReply): CheckoutReply => ({
  checkoutUrl,
  userId,
  acquiring,
})

function replyKey(
  { host, paywallId }: PaywallTarget,
  credential: Credential,
  { key, caller }: CheckoutRequest,
): string {
  return `checkout:${host}:${paywallId}:${credential.kind === 'owner' ? credential.keyHash : caller}:${key}`
}
