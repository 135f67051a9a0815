import * as z from 'zod'
import { accountSetting } from './controls/settings.ts'
import type { AccountContext } from './domain/context.ts'
import { Records } from './domain/records.ts'

/**
 * By how many seconds of the account's time its reads are older than what webhooks report; 0: it has no replica. How far a real one
 * falls behind is UNVERIFIED: a test chooses.
 */
export const REPLICA_LAG = accountSetting('seconds', z.number().min(0), 0)

/** `text` is what was stored, as JSON; `records` is made of it when it is first read. */
interface Copy {
  at: number
  text: string
  records?: Records
}

/** What no API reads of a replica here. */
const LEFT_OUT = ['events', 'deliveries', 'replies']

/**
 * The read replicas of accounts, at a processor that writes to one database and reads from others: each has the records of its
 * account, some time late. They live in memory: after a restart a replica has what there is.
 */
export function createReplicas(records: Records, contextOf: (accountId: string) => AccountContext) {
  const copies = new Map<string, Copy[]>()

  function textOf(account: string): string {
    const tables = Object.entries(records).map(([name, rows]: [string, Map<string, object>]) => [
      name,
      LEFT_OUT.includes(name) ? [] : [...rows.values()].filter((row) => !('account' in row) || row.account === account),
    ])
    return JSON.stringify(Object.fromEntries(tables))
  }

  const timeOf = (account: string) => Date.now() / 1000 + (records.accounts.get(account)?.ahead ?? 0)

  /** The newest that is old enough, and all that are newer. */
  function pruned(known: Copy[], before: number): Copy[] {
    const first = known.findLastIndex(({ at }) => at <= before)
    return known.slice(Math.max(0, first))
  }

  return {
    /** To be called after each change. */
    capture(): void {
      for (const { id } of records.accounts.values()) {
        const lag = REPLICA_LAG.of(contextOf(id))
        if (lag === 0) {
          copies.delete(id)
          continue
        }
        const [at, text] = [timeOf(id), textOf(id)]
        const known = pruned(copies.get(id) ?? [], at - lag)
        // What changes is most often another account.
        copies.set(id, known.at(-1)?.text === text ? known : [...known, { at, text }])
      }
    },

    /** What the replica of an account has by now; the account's own records, if it has none. */
    read(context: AccountContext): Records {
      const known = copies.get(context.account.id) ?? []
      const before = timeOf(context.account.id) - REPLICA_LAG.of(context)
      const copy = known.findLast(({ at }) => at <= before) ?? known[0]
      if (!copy) return records
      copy.records ??= Records.parse(JSON.parse(copy.text))
      return copy.records
    },
  }
}
