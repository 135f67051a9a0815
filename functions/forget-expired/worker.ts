import { forgetExpired } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { log } from '../../lib/http/log.ts'

type Env = Cloudflare.ForgetExpiredEnv

/** What one statement deletes of a table at most, to stay well within its time. */
const BATCH = 1_000

/** What is left after that is for the next hour's run. */
const BATCHES = 100

/** Deletes what has no use any more, so that tables that grow with every call do not grow for ever. */
export default {
  async scheduled(_event, env) {
    const db = connect(env)
    let forgotten = 0
    for (let batch = 0; batch < BATCHES; batch++) {
      const deleted = await forgetExpired<number>(db, { count: BATCH })
      forgotten += deleted
      if (deleted === 0) break
    }
    if (forgotten > 0) log('info', 'forgot what has expired', { rows: forgotten })
  },
} satisfies ExportedHandler<Env>
