import type { Shop } from './shop.ts'

/** Makes reconcile read every purchase, whether it is due or not. */
export async function reconcileAll({ world }: Shop): Promise<void> {
  await world.database.query('update purchases set reconcile_at = now()')
  await world.workers.scheduled('reconcile')
}
