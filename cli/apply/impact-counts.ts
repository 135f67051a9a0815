import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { countLiveSessions } from '../users/live-sessions.ts'
import type { Change, Scope } from './changes.ts'

/** Users with a running subscription. A null id means all paywalls, or all prices of a paywall. */
interface Count {
  paywall_id: string | null
  price_id: string | null
  users: number
}

/** Adds to each destructive change the number of affected subscribers, or of sessions that a revoked key has minted. */
export async function countImpacts(db: Database, ownerId: string | null, changes: Change[]): Promise<Change[]> {
  if (!changes.some(({ impact }) => impact)) return changes
  const counts = await readCounts(db, ownerId)
  return Promise.all(
    changes.map(async (change) => {
      if (!change.impact) return change
      const { scope } = change.impact
      const counted =
        typeof scope === 'object' && 'keyId' in scope
          ? { sessions: await countLiveSessions(db, scope.keyId) }
          : { subscribers: usersIn(scope, counts) }
      return { ...change, impact: { ...change.impact, ...counted } }
    }),
  )
}

async function readCounts(db: Database, ownerId: string | null): Promise<Count[]> {
  const { rows } = await sql<Count>`
    select s.paywall_id, s.price_id, count(distinct s.user_id)::int as users
    from purchases s join paywalls p on p.id = s.paywall_id
    where p.owner_id = ${ownerId} and s.interval is not null and s.begun and s.status not in ('canceled', 'refunded')
    group by grouping sets ((s.paywall_id, s.price_id), (s.paywall_id), ())`.execute(db)
  return rows
}

function usersIn(scope: Scope, counts: Count[]): number {
  const wanted = scope === 'all' ? {} : scope
  const paywallId = 'paywallId' in wanted ? wanted.paywallId : null
  const priceId = 'priceId' in wanted ? wanted.priceId : null
  return counts.find((count) => count.paywall_id === paywallId && count.price_id === priceId)?.users ?? 0
}
