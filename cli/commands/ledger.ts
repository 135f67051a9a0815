import { Kysely, PostgresDialect } from 'kysely'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { verifyLedger, type WrongBalance } from '../sql/verify-ledger.sql.ts'
import { enterLocalWorld, required } from '../surroundings.ts'

export const ledger: Command = {
  name: 'ledger',
  usage: 'ledger verify',
  summary: 'recompute every balance from its ledger, and name those that differ',
  async run(args) {
    if (args.length !== 1 || args[0] !== 'verify') throw new Refusal(['say ledger verify'])
    enterLocalWorld()
    const { balances, rows, wrong } = await withDatabase(required('DATABASE_URL'), (pool) =>
      verifyLedger(new Kysely({ dialect: new PostgresDialect({ pool }) })),
    )
    if (wrong.length > 0) throw new Refusal(wrong.flatMap(sentences))
    console.log(`Right: ${balances} balances, each the sum of its part of ${rows} ledger rows.`)
  },
}

function sentences({ paywall_id, user_id, type, count, sum, broken }: WrongBalance): string[] {
  const balance = `balance ${type} of user ${user_id} on paywall ${paywall_id}`
  const wrong = []
  if (count !== sum) wrong.push(`${balance} is ${count}, but its ledger comes to ${sum}`)
  if (broken) {
    const { id, count_after: after, expected } = broken
    wrong.push(`${balance}: ledger row ${id} says that it left ${after}, but it left ${expected}`)
  }
  return wrong
}
