// The simulation does not wait for time to pass. Days pass by moving a paywall's clock; shorter times pass by updating rows as if the time
// were over. Such an update fails silently while the database is down, because nothing would happen then either.
import { until } from '../support/until.ts'
import type { TestWorld } from '../support/world.ts'
import type { Company } from './person.ts'

type Database = Pick<TestWorld, 'database'>

const DAY_MS = 86_400_000
/** How long `retryUntilDone` retries. After a kill it takes a while until calls succeed again. */
const LONGEST_MS = 120_000

/**
 * Moves the clock of a life by days. What falls due meanwhile happens, at the processor and at the service, in order and with the faults of
 * that time. `afterStep` is called at each time at which something was due.
 */
export async function advanceDays(
  { world: { clock, paywall } }: Company,
  days: number,
  afterStep: () => Promise<void>,
): Promise<void> {
  const begin = await retryUntilDone('a clock is read', () => clock.now(paywall.id))
  const end = new Date(begin.getTime() + days * DAY_MS)
  await retryUntilDone('a clock is moved', () => clock.moveTo(paywall.id, end, afterStep))
}

/** Moves the clocks of the service and of the processor to the same time: a kill may have stopped a move halfway. */
export async function alignClocks(companies: Company[]): Promise<void> {
  for (const { life, world } of companies) {
    if (life.steps.some((step) => step?.act === 'wait')) await world.clock.moveTo(world.paywall.id, new Date(0))
  }
}

/** Retries until it succeeds, for example after a kill. At the deadline it throws, with the last error as the cause. */
export async function retryUntilDone<Result extends object>(
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let cause: unknown
  const attempt = () =>
    work().catch((error: unknown) => {
      cause = error
      return null
    })
  return until(what, attempt, LONGEST_MS).catch((error: Error) => Promise.reject(new Error(error.message, { cause })))
}

/** Makes everything due now that reconcile will ever poll for a paywall; null: for all paywalls. */
export async function makeAllDue(world: Database, paywallId: string | null = null): Promise<void> {
  for (const table of ['checkouts', 'purchases']) {
    await change(world, `update ${table} set reconcile_at = now() where reconcile_at is not null`, paywallId)
  }
}

/** Expires the leases of checkouts and cancellations in progress, as if their holders were too slow or had died. */
export async function endLeases(world: Database, paywallId: string | null = null): Promise<void> {
  await change(world, 'update checkout_claims set leased_until = now() where not opened', paywallId)
  const cancelling = 'cancel_requested_at is not null and cancel_accepted_at is null'
  const earlier = "cancel_requested_at - interval '31 seconds'"
  await change(world, `update purchases set cancel_requested_at = ${earlier} where ${cancelling}`, paywallId)
}

async function change({ database }: Database, update: string, paywallId: string | null): Promise<void> {
  await database.query(`${update} and paywall_id = coalesce($1, paywall_id)`, [paywallId]).catch(() => undefined)
}
