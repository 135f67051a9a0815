import { type RawBuilder, sql } from 'kysely'
import { balanceEvents } from '../events/balance-changed.sql.ts'
import { outbox } from '../events/outbox.sql.ts'
import type { Once } from '../http/once.ts'
import { keepReply, type OnceRefusal, priorReply, priorVerdicts } from './balance-replies.sql.ts'
import type { Database } from './connect.ts'
import { gate, gateRefusals, type OwnerRefusal, type Place } from './gate.sql.ts'
import { type Identity, type MemberRefusal, member, memberRefusals } from './member.sql.ts'
import { held, ledgerRows, type Operation, plan, touchBalances } from './touch-balances.sql.ts'
import { isKeyTaken } from './unavailable.ts'

/** A credit or a debit that an owner asks for. */
export interface BalanceChange {
  keyHash: string
  place: Place
  identity: Identity
  operation: Operation
  /** Null: every call changes the balance. */
  once: Once | null
}

/** What an endpoint adds to the statement. */
export interface Terms {
  /** `case` arms of its own refusals, over the CTEs `plan` and `member`. A call that is refused changes nothing. */
  refusals: RawBuilder<unknown>
  /** The reply as a jsonb object, over the changed balance `done` and the CTEs that `heldBalances` needs. */
  reply: RawBuilder<unknown>
}

/** Why a balance stays as it is, at every endpoint. */
export type ChangeRefusal = OwnerRefusal | OnceRefusal | MemberRefusal | 'unknown_type'

/** `Refusal` is every other one that the endpoint can meet. */
export type ChangedRow<Refusal extends string, Reply> =
  | { verdict: Refusal }
  /** `available` is what the debit could have taken, exactly, however many were under way. */
  | { verdict: 'insufficient'; available: number }
  /** `queued` is how many deliveries to owners' endpoints now wait. */
  | { verdict: 'changed' | 'replayed'; reply: Reply; queued: number }

/**
 * Changes a balance, with its ledger rows, its events and its kept reply, all or nothing. It is asked again only where it
 * certainly changed nothing: if it lost a race for its Idempotency-Key, and now finds the winner's reply; or if its
 * member, an anonymous user, became a known one meanwhile.
 */
export async function changeBalance<Row extends ChangedRow<string, unknown>>(
  db: Database,
  change: BalanceChange,
  terms: Terms,
): Promise<Row> {
  try {
    const row = await ask<Row>(db, change, terms)
    if (!hasMoved(row)) return row
  } catch (error) {
    if (!change.once || !isKeyTaken(error, 'balance_replies_pkey')) throw error
  }
  const row = await ask<Row>(db, change, terms)
  if (hasMoved(row)) throw new Error('a member was merged twice')
  return row
}

type Moved = { verdict: 'moved' }

function hasMoved<Row extends object>(row: Row | Moved): row is Moved {
  return 'verdict' in row && row.verdict === 'moved'
}

async function ask<Row>(db: Database, change: BalanceChange, { refusals, reply }: Terms): Promise<Row | Moved> {
  const { keyHash, place, identity, operation, once } = change
  const { type, delta } = operation
  const caller = { kind: 'owner', keyHash } as const
  const { rows } = await sql<Row | Moved>`
    with ${gate(caller, place)}, ${member(caller, identity)}, ${priorReply(once)}, ${plan}, ruling as (
      select case ${gateRefusals(caller)} ${priorVerdicts(once)} ${memberRefusals} ${refusals} end as refusal
    ), asked as (
      select m.* from member m, ruling where refusal is null
    ), standing as (
      select exists (select from purchases p join asked using (paywall_id, user_id) where is_paid(p)) as paid
    ), ${touchBalances(operation)}, ${ledgerRows('touched', sql`${delta > 0 ? 'credit' : 'debit'}`)}, ${held}, done as (
      select * from touched where type = ${type}::text and count - previous_count - top_up = ${delta}::bigint
    ), reply as (
      select ${reply} as body from done
    ), ${keepReply(once)}, happened as (${balanceEvents}), ${outbox}
    select
      coalesce((select refusal from ruling), case
        when exists (select from done) then 'changed'
        when exists (select from due) and not exists (select from acting) then 'moved'
        when ${delta}::bigint < 0 then 'insufficient'
        else 'too_much' end) as verdict,
      coalesce((select body from prior), (select body from reply)) as reply,
      coalesce((select count from touched where type = ${type}::text), 0)::float8 as available,
      (select count(*)::int from queued) as queued`.execute(db)
  return rows[0]!
}
