import { fillDeliveries } from './deliveries.ts'
import type { Columns, Filler } from './insert.ts'
import { filledId } from './users.ts'

const HASH = `repeat('0', 64)`

/** At least two days ago: longer than any of these tables keeps its rows. */
const LONG_AGO = `now() - interval '2 days' - n * interval '1 millisecond'`

/** An expired row of five of the tables from which purge-expired deletes. Expired deliveries are added to them. */
const EXPIRED: Record<string, Columns> = {
  idempotent_replies: {
    idempotency_key: 'gen_random_uuid()',
    request_hash: HASH,
    reply: `'{}'::jsonb`,
    created_at: LONG_AGO,
  },
  checkout_claims: {
    caller: `'owner'`,
    idempotency_key: 'gen_random_uuid()',
    request_hash: HASH,
    checkout_id: 'gen_random_uuid()',
    holder: 'gen_random_uuid()',
    leased_until: LONG_AGO,
    claimed_at: LONG_AGO,
  },
  ticket_quotas: { who: `'email:expired-' || n || '@bench.example'`, opened: `array[${LONG_AGO}]` },
  sign_in_challenges: {
    challenge_hash: `encode(sha256(n::text::bytea), 'hex')`,
    email: `'expired-' || n || '@bench.example'`,
    code_hash: HASH,
    restores: 'false',
    expires_at: LONG_AGO,
  },
  sign_in_sessions: { id: 'gen_random_uuid()', user_id: filledId('1'), token_hash: HASH, expires_at: LONG_AGO },
}

/** Creates `rows` expired rows in total, spread evenly over the tables. */
export async function fillExpired(
  filler: Filler,
  { paywallId, webhookUrl, users, rows }: { paywallId: string; webhookUrl: string; users: number; rows: number },
): Promise<void> {
  const each = Math.ceil(rows / (Object.keys(EXPIRED).length + 1))
  for (const [table, columns] of Object.entries(EXPIRED)) {
    await filler.insert(table, { from: 1, to: each }, { paywall_id: `'${paywallId}'`, ...columns })
  }
  await fillDeliveries(filler, { paywallId, webhookUrl, events: each, users, as: 'expired' })
}

/** Deletes what a timed-out run of purge-expired left behind. Deliveries are deleted with their events. */
export async function truncateExpired(filler: Filler): Promise<void> {
  await filler.run(`truncate ${Object.keys(EXPIRED)}`)
}
