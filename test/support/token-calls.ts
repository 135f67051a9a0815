import { type Call, call, type Reply } from './call.ts'
import type { TestWorld } from './world.ts'

/** A call with an owner key. Default: the key of the world's owner; null: none. */
export type OwnerCall = Omit<Call, 'key'> & { key?: string | null }

/** A credit or debit of standard tokens, with fields of the body added or replaced. */
export function changeBalance(
  world: TestWorld,
  fields: Record<string, unknown>,
  { paywallId = world.paywall.id, key = world.key, ...options }: OwnerCall & { paywallId?: string } = {},
): Promise<Reply> {
  return call(world, `/api/v1/paywall/${paywallId}/balances`, {
    ...(key !== null && { key }),
    body: { op: 'credit', amount: 1, type: 'standard', ...fields },
    ...options,
  })
}

/** A withdrawal of one standard token, with fields of the body added or replaced. */
export function withdraw(
  world: TestWorld,
  fields: Record<string, unknown>,
  { key = world.key, ...options }: OwnerCall = {},
): Promise<Reply> {
  return call(world, '/api/v1/withdraw-tokens', {
    ...(key !== null && { key }),
    body: { paywall_id: world.paywall.id, tokens: 1, ...fields },
    ...options,
  })
}

/** The ledger entries of a user, oldest first. */
export async function readLedger(
  world: TestWorld,
  userId: string,
): Promise<[type: string, reason: string, delta: number][]> {
  const { rows } = await world.database.query<{ type: string; reason: string; delta: string }>(
    'select type, reason, delta from ledger where user_id = $1 order by id',
    [userId],
  )
  return rows.map(({ type, reason, delta }) => [type, reason, Number(delta)])
}

const withoutMessage = (body: unknown) => ({ ...(body as object), message: undefined })

/** Counts equal replies: by `200`, or by the status and the body of a refusal without its `message`. */
export function countReplies(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const shown = status === 200 ? '200' : `${status} ${JSON.stringify(withoutMessage(body))}`
    counts[shown] = (counts[shown] ?? 0) + 1
  }
  return counts
}
