import { sql } from 'kysely'
import { choose, parseArguments } from './arguments.ts'
import { CommandError, type CommandResult, required } from './command.ts'
import { activateRelease, type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'

const USAGE = ['usage: paywall purchases end ID']

/** `paywall purchases`: operations on purchases that the API does not offer. */
export async function runPurchases(args: string[]): Promise<CommandResult> {
  const { positionals } = parseArguments({ args, allowPositionals: true }, USAGE)
  const [verb, id, ...more] = positionals
  const run = choose(verb, { end }, USAGE)
  if (!id || more.length > 0) throw new CommandError(USAGE)
  return run(id)
}

/** Ends a purchase immediately: see lib/purchases/end-purchase.sql. Throws a `CommandError` if it does not exist or has ended. */
async function end(id: string): Promise<CommandResult> {
  enterLocalWorld()
  const { status, interval, acquiring } = await withDatabase(required('DATABASE_URL'), (db) => endPurchase(db, id))
  const atProcessor =
    interval === null
      ? `Nothing was refunded: refund it at ${acquiring} if you need to.`
      : `Within a minute ${acquiring} is asked to end it, too. Nothing was refunded: refund it there if you need to.`
  return { text: `Purchase ${id} is ${status} and no longer gives access. ${atProcessor}`, json: { id, status } }
}

async function endPurchase(db: Database, id: string) {
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
