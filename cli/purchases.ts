import { sql } from 'kysely'
import { CommandError, type CommandResult, required } from './command.ts'
import { activateRelease, type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'

/** `paywall purchases end`: ends a purchase immediately: see lib/purchases/end-purchase.sql. Throws a `CommandError` if it does not exist or has ended. */
export async function endPurchase(id: string): Promise<CommandResult> {
  enterLocalWorld()
  const { status, interval, acquiring } = await withDatabase(required('DATABASE_URL'), (db) => end(db, id))
  const atProcessor =
    interval === null
      ? `Nothing was refunded: paywall purchases refund ${id} does that.`
      : `Within a minute ${acquiring} is asked to end it, too. Nothing was refunded: paywall purchases refund ${id} does that.`
  return { text: `Purchase ${id} is ${status} and no longer gives access. ${atProcessor}`, json: { id, status } }
}

async function end(db: Database, id: string) {
  return db.transaction().execute(async (transaction) => {
    await activateRelease(transaction)
    const named = transaction
      .selectFrom('purchases')
      .select(['status', 'interval', 'acquiring'])
      .where('id', '=', sql<string>`as_uuid(${id})`)
    if (!(await named.executeTakeFirst())) throw new CommandError([`there is no purchase ${id}`])
    const { rows } = await sql<{ is_new: boolean }>`select is_new from end_purchase(${id})`.execute(transaction)
    const purchase = await named.executeTakeFirstOrThrow()
    if (!rows[0]?.is_new) throw new CommandError([`purchase ${id} is already ${purchase.status}`])
    return purchase
  })
}
