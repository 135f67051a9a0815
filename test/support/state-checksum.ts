import { until } from './until.ts'
import type { TestWorld } from './world.ts'

const TABLES = [
  'users',
  'members',
  'checkouts',
  'checkout_claims',
  'purchases',
  'balances',
  'ledger',
  'events',
  'tickets',
  'sign_in_sessions',
]

/**
 * A checksum of everything that a refused call must not change, and the number of calls that the processor got. First waits for the work
 * that earlier calls do after their replies: replaced pages are closed, and the processor's webhooks arrive.
 */
export async function stateChecksum(world: TestWorld): Promise<string> {
  await until('replaced pages to be closed', async () => (await replacedPages(world)) === 0)
  await world.stripe.drainWebhooks()
  const sums = TABLES.map((table) => `(select jsonb_agg(to_jsonb(t) order by to_jsonb(t)::text) from ${table} t)`)
  const { rows } = await world.database.query<{ sum: string }>(
    `select md5(jsonb_build_array(${sums.join(', ')})::text) as sum`,
  )
  // The previous test file used the same Workers. Calls that they still made for it are of an account that is not known here.
  const calls = world.stripe.calls.filter(({ account }) => account !== null)
  return `${rows[0]?.sum} ${calls.length}`
}

/** How many pages at Stripe are still open beside a newer one of the same buyer. */
async function replacedPages({ database }: TestWorld): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int from checkouts c
    where c.acquiring = 'stripe' and c.hosted_page_id is not null and c.completed_at is null and c.reconcile_at is not null
      and exists (
        select from checkouts newer
        where (newer.paywall_id, newer.user_id) = (c.paywall_id, c.user_id) and newer.hosted_page_id is not null
          and newer.created_at > c.created_at)`,
  )
  return rows[0]!.count
}
