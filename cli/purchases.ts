import { sql } from 'kysely'
import { choose, parseArguments } from './arguments.ts'
import { CommandError, type CommandResult, enterLocalWorld, required } from './command.ts'
import { type Database, enterRelease, withDatabase } from './database.ts'

const USAGE = ['say purchases end ID']

/** `paywall purchases`: what an owner cannot do by the API about a purchase. */
export async function runPurchases(args: string[]): Promise<CommandResult> {
  const { positionals } = parseArguments({ args, allowPositionals: true }, USAGE)
  const [verb, id, ...more] = positionals
  const run = choose(verb, { end }, USAGE)
  if (!id || more.length > 0) throw new CommandError(USAGE)
  return run(id)
}

/** Ends a purchase at once: see lib/purchases/end-purchase.sql. Throws a `CommandError` if there is none of that id, or it has ended. */
async function end(id: string): Promise<CommandResult> {
  enterLocalWorld()
  const { status, interval, acquiring } = await withDatabase(required('DATABASE_URL'), (db) => endPurchase(db, id))
  const atProcessor =
    interval === null
      ? 'Nothing is paid back: a refund is made at its processor.'
      : `Within a minute ${acquiring} is asked to end it, too. Nothing is paid back: a refund is made there.`
  return { text: `Purchase ${id} is ${status}: it gives no access any more. ${atProcessor}`, json: { id, status } }
}

async function endPurchase(db: Database, id: string) {
  return db.transaction().execute(async (transaction) => {
    await enterRelease(transaction)
    const named = transaction
      .selectFrom('purchases')
      .select(['status', 'interval', 'acquiring'])
      .where('id', '=', sql<string>`as_uuid(${id})`)
    if (!(await named.executeTakeFirst())) throw new CommandError([`there is no purchase ${id}`])
    const { rows } = await sql<{ ended: boolean }>`select end_purchase(${id}) as ended`.execute(transaction)
    const purchase = await named.executeTakeFirstOrThrow()
    if (!rows[0]?.ended) throw new CommandError([`purchase ${id} is ${purchase.status} already`])
    return purchase
  })
}
