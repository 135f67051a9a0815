import { readRelease } from '../../cli/migrate/release.ts'
import type { TestWorld } from './world.ts'

/** Sets when purchases are to be reconciled, as whoever writes them does: for a test that has changed their times by hand. */
export async function recomputeDueTimes({ database }: TestWorld): Promise<void> {
  const { name: release } = readRelease()
  // A text of several statements is one transaction.
  await database.query(`
    set local search_path = ${release}, public;
    update purchases p set reconcile_at = purchase_due(p, p.looked_at)`)
}
