import type { Shop } from './shop.ts'

/** Lets reconcile read every purchase, whenever it is due. */
export async function reconcileAll({ world }: Shop): Promise<void> {
  await world.database.query('update purchases set reconcile_at = now()')
  await world.workers.scheduled('reconcile')
}
