import type { TestWorld } from './world.ts'

/**
 * So much of a budget is taken, since so many seconds ago. Without them nothing of it comes back while the test runs: what
 * comes back little by little would be more or less, as the machine is slow or fast.
 */
export async function setTaken(world: TestWorld, what: string, who: string, taken: number, secondsAgo = -600) {
  await world.database.query(
    `insert into budgets (what, who, window_start, taken) values ($1, $2, now() - make_interval(secs => $3), $4)
     on conflict (what, who) do update set window_start = excluded.window_start, taken = excluded.taken`,
    [what, who, secondsAgo, taken],
  )
}
