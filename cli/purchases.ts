import { sql } from 'kysely'
import { choose, parseArguments } from './arguments.ts'
import { CommandError, type CommandResult, required } from './command.ts'
import { activateRelease, type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { type RefundOptions, refundPurchase } from './refund.ts'

const USAGE = ['usage: paywall purchases end ID', '       paywall purchases refund ID [--amount 4.99] [--reason TEXT]']

/** `paywall purchases`: operations on the purchases of any owner, which an owner makes through the API. */
export async function runPurchases(args: string[]): Promise<CommandResult> {
  const options = { amount: { type: 'string' }, reason: { type: 'string' } } as const
  const { positionals, values } = parseArguments({ args, options, allowPositionals: true }, USAGE)
  const [verb, id, ...more] = positionals
  const run = choose(verb, { end, refund }, USAGE)
  if (!id || more.length > 0) throw new CommandError(USAGE)
  return run(id, values)
}

/** Refunds the latest payment of a purchase: see refund.ts. */
async function refund(id: string, options: RefundOptions): Promise<CommandResult> {
  const { reason } = options
  if (reason !== undefined && (reason === '' || reason.length > 500)) {
    throw new CommandError(['--reason must be a text of at most 500 characters'])
  }
  return refundPurchase(id, options)
}

/** Ends a purchase immediately: see lib/purchases/end-purchase.sql. Throws a `CommandError` if it does not exist or has ended. */
async function end(id: string, { amount, reason }: RefundOptions): Promise<CommandResult> {
  if (amount !== undefined || reason !== undefined) throw new CommandError(USAGE)
  enterLocalWorld()
  const { status, interval, acquiring } = await withDatabase(required('DATABASE_URL'), (db) => endPurchase(db, id))
  const atProcessor =
    interval === null
      ? `Nothing was refunded: paywall purchases refund ${id} does that.`
      : `Within a minute ${acquiring} is asked to end it, too. Nothing was refunded: paywall purchases refund ${id} does that.`
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
