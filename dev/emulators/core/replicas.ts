import * as z from 'zod'
import { accountSetting } from './controls/settings.ts'
import type { AccountContext } from './domain/context.ts'
import { Records } from './domain/records.ts'

/**
 * The replication lag in seconds of the account's time; 0: no replica. The lag of real replicas is UNVERIFIED: tests choose it.
 */
export const REPLICA_LAG = accountSetting('seconds', z.number().min(0), 0)

/** A snapshot: `text` is JSON; `records` is parsed from it at the first read. */
interface Copy {
  at: number
  text: string
  records?: Records
}

/** Tables that are never read from a replica. */
const LEFT_OUT = ['events', 'deliveries', 'replies']

/**
 * The read replicas of accounts, at a processor that writes to one database and reads from others: each has the records of its account
 * with a lag. They are in memory: after a restart a replica has the current records.
 */
export function createReplicas(records: Records, contextFor: (accountId: string) => AccountContext) {
  const copies = new Map<string, Copy[]>()

  function serialize(account: string): string {
    const tables = Object.entries(records).map(([name, rows]: [string, Map<string, object>]) => [
      name,
      LEFT_OUT.includes(name) ? [] : [...rows.values()].filter((row) => !('account' in row) || row.account === account),
    ])
    return JSON.stringify(Object.fromEntries(tables))
  }

  const accountTime = (account: string) => Date.now() / 1000 + (records.accounts.get(account)?.ahead ?? 0)

  /** The newest copy that is old enough, and all newer ones. */
  function pruned(known: Copy[], before: number): Copy[] {
    const first = known.findLastIndex(({ at }) => at <= before)
    return known.slice(Math.max(0, first))
  }

  return {
    /** Call it after each change. */
    capture(): void {
      for (const { id } of records.accounts.values()) {
        const lag = REPLICA_LAG.read(contextFor(id))
        if (lag === 0) {
          copies.delete(id)
          continue
        }
        const [at, text] = [accountTime(id), serialize(id)]
        const known = pruned(copies.get(id) ?? [], at - lag)
        // Most changes are of other accounts.
        copies.set(id, known.at(-1)?.text === text ? known : [...known, { at, text }])
      }
    },

    /** The current records of an account's replica; the account's own records if it has no replica. */
    read(context: AccountContext): Records {
      const known = copies.get(context.account.id) ?? []
      const before = accountTime(context.account.id) - REPLICA_LAG.read(context)
      const copy = known.findLast(({ at }) => at <= before) ?? known[0]
      if (!copy) return records
      copy.records ??= Records.parse(JSON.parse(copy.text))
      return copy.records
    },
  }
}
