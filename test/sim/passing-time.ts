// Nobody waits for time to pass: what it would do to our rows is done to them. Both fail silently while the database is down,
// since nothing happens then.
import type { TestWorld } from '../support/world.ts'

type Database = Pick<TestWorld, 'database'>

/** What will ever be due of a paywall is due now; of all paywalls, if none is named. */
export async function allIsDue(world: Database, paywallId: string | null = null): Promise<void> {
  for (const table of ['checkouts', 'purchases']) {
    await change(world, `update ${table} set reconcile_at = now() where reconcile_at is not null`, paywallId)
  }
}

/** The leases of checkouts and cancellations that are under way end: who has one has taken too long, or has died. */
export async function endLeases(world: Database, paywallId: string | null = null): Promise<void> {
  await change(world, 'update checkout_claims set leased_until = now() where not opened', paywallId)
  const cancelling = 'cancel_requested_at is not null and cancel_accepted_at is null'
  const earlier = "cancel_requested_at - interval '31 seconds'"
  await change(world, `update purchases set cancel_requested_at = ${earlier} where ${cancelling}`, paywallId)
}

async function change({ database }: Database, update: string, paywallId: string | null): Promise<void> {
  await database.query(`${update} and paywall_id = coalesce($1, paywall_id)`, [paywallId]).catch(() => undefined)
}
