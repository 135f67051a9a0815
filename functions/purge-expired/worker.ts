import { foldFigures, purgeCheckouts, purgeExpired, purgeUsers } from '../../generated/calls.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'

type Env = Cloudflare.PurgeExpiredEnv

/** What is deleted, and how many rows one call deletes, so that it stays well within its timeout. Figures are added up before that. */
const PURGES: ((db: Database) => Promise<number>)[] = [
  (db) => foldFigures<number>(db, { count: 500 }),
  (db) => purgeExpired<number>(db, { count: 100 }),
  (db) => purgeCheckouts<number>(db, { count: 100 }),
  (db) => purgeUsers<number>(db, { count: 25 }),
]

/** The next cron starts after five minutes, and two at once would only compete for the disk. */
const RUN_MILLISECONDS = 4 * 60_000

/** An invocation may make 10,000 subrequests. */
const MAX_BATCHES = 9_000

/**
 * Deletes expired rows, so that tables that grow with every call do not grow for ever: batch by batch until nothing is left, or the run's
 * time is over. A thousand debits a second with an Idempotency-Key leave 300,000 rows to delete every five minutes, which is 3,000 batches.
 */
export default {
  async scheduled(_event, env) {
    const db = connect(env)
    const deadline = Date.now() + RUN_MILLISECONDS
    let rows = 0
    let remaining = PURGES
    for (let batch = 0; remaining.length > 0 && batch < MAX_BATCHES && Date.now() < deadline; batch++) {
      const [purge, ...others] = remaining
      const deleted = (await purge?.(db)) ?? 0
      remaining = deleted > 0 && purge ? [...others, purge] : others // in turns, so that none starves another
      rows += deleted
    }
    if (rows > 0) log('info', 'purged expired rows', { rows })
  },
} satisfies ExportedHandler<Env>
