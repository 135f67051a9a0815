import { forgetExpired } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { log } from '../../lib/http/log.ts'

type Env = Cloudflare.ForgetExpiredEnv

/** What one call deletes of a table at most, to stay well within its time. */
const BATCH = 1_000

/** The next cron comes after five minutes, and two would only wait for each other's disk. */
const RUN_MILLISECONDS = 4 * 60_000

/** An invocation may make 10,000 subrequests. */
const RUN_BATCHES = 9_000

/**
 * Deletes what has no use any more, so that tables that grow with every call do not grow for ever: batch by batch until
 * nothing is left, or the run's time is over. A thousand keyed debits a second leave 300,000 rows to delete every five
 * minutes, which is 300 batches of a few milliseconds each.
 */
export default {
  async scheduled(_event, env) {
    const db = connect(env)
    const deadline = Date.now() + RUN_MILLISECONDS
    let rows = 0
    for (let batch = 0; batch < RUN_BATCHES && Date.now() < deadline; batch++) {
      const deleted = await forgetExpired<number>(db, { count: BATCH })
      if (deleted === 0) break
      rows += deleted
    }
    if (rows > 0) log('info', 'forgot what has expired', { rows })
  },
} satisfies ExportedHandler<Env>
