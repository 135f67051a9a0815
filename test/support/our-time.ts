import { recomputeDueTimes } from './due-times.ts'
import type { TestWorld } from './world.ts'

/** Makes our row of a user's one purchase as it would be at another time; what the processor has stays as it is. */
export async function rewritePurchase(world: TestWorld, userId: string, columns: string): Promise<void> {
  const { rowCount } = await world.database.query(`update purchases set ${columns} where user_id = $1`, [userId])
  if (rowCount !== 1) throw new Error(`${rowCount} purchases of ${userId}`)
  await recomputeDueTimes(world)
}

const TIMES = [
  'created_at',
  'current_period_start',
  'current_period_end',
  'trial_start',
  'trial_end',
  'cancel_at',
  'canceled_at',
  'past_due_since',
  'cancel_requested_at',
  'cancel_accepted_at',
  'paid_period_start',
  'fetched_at',
  'looked_at',
]

/** That many days pass for what we know of a user's one purchase. */
export const letDaysPassHere = (world: TestWorld, userId: string, days: number): Promise<void> =>
  rewritePurchase(world, userId, TIMES.map((name) => `${name} = ${name} - interval '${days} days'`).join(', '))

/** The time of the weekly look at a user's one purchase comes. */
export const letWeeklyLookCome = (world: TestWorld, userId: string): Promise<void> =>
  rewritePurchase(world, userId, "fetched_at = fetched_at - interval '8 days', looked_at = null")
