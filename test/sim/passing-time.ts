// Nobody waits for time to pass: days pass by a paywall's clock, and what shorter times would do to our rows is done to them. That
// fails silently while the database is down, since nothing happens then.
import { until } from '../support/until.ts'
import type { TestWorld } from '../support/world.ts'
import type { Company } from './person.ts'

type Database = Pick<TestWorld, 'database'>

const DAY_MS = 86_400_000
/** A kill holds time up. */
const LONGEST_MS = 120_000

/**
 * Days pass for a life: what falls due meanwhile happens, there and here, in order and with the faults of that time. `afterStep` is called at
 * each time at which something was due.
 */
export async function daysPass(
  { world: { clock, paywall } }: Company,
  days: number,
  afterStep: () => Promise<void>,
): Promise<void> {
  const begin = await persist('a clock is read', () => clock.now(paywall.id))
  const end = new Date(begin.getTime() + days * DAY_MS)
  await persist('a clock is moved', () => clock.moveTo(paywall.id, end, afterStep))
}

/** A kill may have stopped a clock between us and the processor: now it is moved to the same time at both. */
export async function clocksAgree(companies: Company[]): Promise<void> {
  for (const { life, world } of companies) {
    if (life.steps.some((step) => step?.act === 'wait')) await world.clock.moveTo(world.paywall.id, new Date(0))
  }
}

/** Does it again until it succeeds, as after a kill. Fails with what selectSteps it from succeeding. */
export async function persist<Result extends object>(what: string, work: () => Promise<Result>): Promise<Result> {
  let cause: unknown
  const attempt = () =>
    work().catch((error: unknown) => {
      cause = error
      return null
    })
  return until(what, attempt, LONGEST_MS).catch((error: Error) => Promise.reject(new Error(error.message, { cause })))
}

/** What will ever be due of a paywall is due now; of all paywalls, if none is named. */
export async function allIsDue(world: Database, paywallId: string | null = null): Promise<void> {
  for (const table of ['checkouts', 'purchases']) {
    await change(world, `update ${table} set reconcile_at = now() where reconcile_at is not null`, paywallId)
  }
}

/** Expires the leases of checkouts and cancellations in progress: their holders were too slow, or have died. */
export async function endLeases(world: Database, paywallId: string | null = null): Promise<void> {
  await change(world, 'update checkout_claims set leased_until = now() where not opened', paywallId)
  const cancelling = 'cancel_requested_at is not null and cancel_accepted_at is null'
  const earlier = "cancel_requested_at - interval '31 seconds'"
  await change(world, `update purchases set cancel_requested_at = ${earlier} where ${cancelling}`, paywallId)
}

async function change({ database }: Database, update: string, paywallId: string | null): Promise<void> {
  await database.query(`${update} and paywall_id = coalesce($1, paywall_id)`, [paywallId]).catch(() => undefined)
}
