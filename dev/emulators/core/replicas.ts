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

/** The account of a row. The id of an account's own row, and the beginning of a version's, is the account's. */
const getAccountId = (row: { id: string; account?: string }) => row.account ?? row.id.split(' ')[0]

/**
 * The read replicas of accounts, at a processor that writes to one database and reads from others: each has the records of its account
 * with a lag. They are in memory: after a restart a replica has the current records.
 */
export function createReplicas(records: Records, contextFor: (accountId: string) => AccountContext) {
  const copies = new Map<string, Copy[]>()

  /** Groups the rows once for all accounts. The function that it returns gives those of an account, as JSON. */
  function groupRows(): (account: string) => string {
    const tables = Object.entries(records).map(([name, rows]: [string, Map<string, { id: string }>]) => {
      return [name, Map.groupBy(LEFT_OUT.includes(name) ? [] : rows.values(), getAccountId)] as const
    })
    return (account) =>
      JSON.stringify(Object.fromEntries(tables.map(([name, byAccount]) => [name, byAccount.get(account) ?? []])))
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
      const lags = [...records.accounts.keys()].map((id) => [id, REPLICA_LAG.read(contextFor(id))] as const)
      for (const [id, lag] of lags) if (lag === 0) copies.delete(id)
      const lagging = lags.filter(([, lag]) => lag > 0)
      if (lagging.length === 0) return
      const serialize = groupRows()
      for (const [id, lag] of lagging) {
        const at = accountTime(id)
        const text = serialize(id)
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
