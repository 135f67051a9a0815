import type { TestWorld } from './world.ts'

/**
 * Sets how much of a rate limit is consumed, and how long ago. By default that is ten minutes in the future, so that nothing is refilled
 * during the test: otherwise its result would depend on the speed of the machine.
 */
export async function setConsumed(world: TestWorld, name: string, key: string, consumed: number, secondsAgo = -600) {
  await world.database.query(
    `insert into rate_limits (name, key, refilled_at, consumed) values ($1, $2, now() - make_interval(secs => $3), $4)
     on conflict (name, key) do update set refilled_at = excluded.refilled_at, consumed = excluded.consumed`,
    [name, key, secondsAgo, consumed],
  )
}

/** Refills all rate limits as if `time` had passed. */
export async function advanceRefills(world: TestWorld, time: string) {
  await world.database.query('update rate_limits set refilled_at = refilled_at - $1::interval', [time])
}
