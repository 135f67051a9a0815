import type { TestWorld } from './world.ts'

/**
 * So much of a rate limit is consumed, since so many seconds ago. Without them nothing of it is refilled while the test runs: what is
 * refilled little by little would be more or less, as the machine is slow or fast.
 */
export async function setConsumed(world: TestWorld, name: string, key: string, consumed: number, secondsAgo = -600) {
  await world.database.query(
    `insert into rate_limits (name, key, refilled_at, consumed) values ($1, $2, now() - make_interval(secs => $3), $4)
     on conflict (name, key) do update set refilled_at = excluded.refilled_at, consumed = excluded.consumed`,
    [name, key, secondsAgo, consumed],
  )
}

/** So much time passes for all rate limits. */
export async function letRefill(world: TestWorld, time: string) {
  await world.database.query('update rate_limits set refilled_at = refilled_at - $1::interval', [time])
}
