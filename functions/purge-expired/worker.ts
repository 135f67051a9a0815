import { purgeCheckouts, purgeExpired, purgeUsers } from '../../generated/calls.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'

type Env = Cloudflare.PurgeExpiredEnv

/** The deletions, and how many rows one call handles, so that it stays well within its timeout. */
const BATCHES: ((db: Database) => Promise<number>)[] = [
  (db) => purgeExpired<number>(db, { count: 100 }),
  (db) => purgeCheckouts<number>(db, { count: 100 }),
  (db) => purgeUsers<number>(db, { count: 25 }),
]

/** The next cron starts after five minutes, and two at once would only compete for the disk. */
const RUN_MILLISECONDS = 4 * 60_000

/** An invocation may make 10,000 subrequests. */
const RUN_BATCHES = 9_000

/**
 * Deletes expired rows, so that tables that grow with every call do not grow for ever: batch by batch until nothing is left, or the run's
 * time is over. A thousand keyed debits a second leave 300,000 rows to delete every five minutes, which is 3,000 batches.
 */
export default {
  async scheduled(_event, env) {
    const db = connect(env)
    const deadline = Date.now() + RUN_MILLISECONDS
    let rows = 0
    let left = BATCHES
    for (let batch = 0; left.length > 0 && batch < RUN_BATCHES && Date.now() < deadline; batch++) {
      const [purge, ...others] = left
      const done = (await purge?.(db)) ?? 0
      left = done > 0 && purge ? [...others, purge] : others // in turns, so that no deletion starves another
      rows += done
    }
    if (rows > 0) log('info', 'purged expired rows', { rows })
  },
} satisfies ExportedHandler<Env>
