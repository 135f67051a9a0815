import { sql } from 'kysely'
import type * as z from 'zod'
import {
  type BalanceChange,
  type ChangedRow,
  type ChangeRefusal,
  changeBalance,
} from '../../lib/db/change-balance.sql.ts'
import type { Database } from '../../lib/db/connect.ts'
import type { Reply } from './contract.ts'

export type WithdrawRefusal = ChangeRefusal | 'no_balance' | 'insufficient'

/** Debits one balance. A type that is topped up every day is had by everybody; any other once there was some of it. */
export function withdrawTokens(db: Database, change: BalanceChange) {
  const had = sql`(plan.daily_limit is not null or exists (
    select from balances b join member using (paywall_id, user_id) where b.type = plan.type))`
  return changeBalance<ChangedRow<Exclude<WithdrawRefusal, 'insufficient'>, z.output<typeof Reply>>>(db, change, {
    refusals: sql`
      when not exists (select from plan where ${had}) then 'no_balance'
      when not exists (select from plan where type = ${change.operation.type}::text and ${had}) then 'unknown_type'`,
    reply: sql`jsonb_build_object('success', true, 'remaining', count)`,
  })
}
