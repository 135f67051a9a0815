import { sql } from 'kysely'
import type * as z from 'zod'
import {
  type BalanceChange,
  type ChangedRow,
  type ChangeRefusal,
  changeBalance,
} from '../../lib/db/change-balance.sql.ts'
import type { Database } from '../../lib/db/connect.ts'
import { heldBalances } from '../../lib/db/touch-balances.sql.ts'
import type { Reply } from './contract.ts'

export type BalanceRefusal = ChangeRefusal | 'insufficient' | 'too_much'

/** Credits or debits one balance; `too_much` would make it 2^53 or more. */
export function creditOrDebit(db: Database, change: BalanceChange) {
  return changeBalance<ChangedRow<Exclude<BalanceRefusal, 'insufficient'>, z.output<typeof Reply>>>(db, change, {
    refusals: sql`when not exists (select from plan where type = ${change.operation.type}::text) then 'unknown_type'`,
    reply: sql`jsonb_build_object(
      'success', true, 'user_id', user_id, 'type', type, 'count', count, 'balances', ${heldBalances})`,
  })
}
