// Delivers what is due, concurrently, until nothing is due or the run's time is over:
// 1. lease due deliveries for the free slots, starting at the scan's cursor (scan-cursor.ts)
// 2. start an attempt of each (deliver.ts)
// 3. as soon as a slot is free, back to 1, so that the next event about a member follows without delay. While attempts hang, the other
//    slots keep polling for deliveries that have become due
// 4. once every slot is stuck, call `onStuck`, which returns how much longer to go on
// 5. wait for the attempts that are still in flight
import { leaseDeliveries } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { deliver } from './deliver.ts'
import type { Lease, LeasedDelivery } from './leased-delivery.ts'
import type { PostOptions } from './post-event.ts'
import { advance, startScan } from './scan-cursor.ts'

/** An invocation may have six open connections; the sixth is for the lease's query. */
const SLOTS = 5

/** How many slots failing webhook endpoints may use: their attempts may hang, and the others then still have the remaining slots. */
const FAILING_SLOTS = 2

/** Polling interval for due deliveries while attempts are in flight and slots are free. */
const POLL_MILLISECONDS = 50

/** A slot whose attempt takes longer is stuck. */
const STUCK_MILLISECONDS = 1_000

/** The cron starts the next run after a minute. */
const RUN_MILLISECONDS = 60_000

/** A lease, a POST and a record for each stay within the limit of subrequests that wrangler.toml sets for an invocation. */
const RUN_DELIVERIES = 20_000

interface Attempt {
  isFailing: boolean
  startedAt: number
  ended: Promise<void>
}

/** Called when every slot is stuck. Returns for how many more milliseconds new attempts may start. */
type OnStuck = () => number

/** Returns the number of attempts, once the last of them has ended. */
export async function deliverDue(db: Database, options: PostOptions, onStuck?: OnStuck): Promise<number> {
  const holder = crypto.randomUUID()
  let deadline = Date.now() + RUN_MILLISECONDS
  const inFlight = new Set<Attempt>()
  let attempts = 0
  let scan = startScan()
  let startedIdle = true // no attempt was in flight; one that ends later may make a delivery due that the cursor has already passed

  function begin(delivery: LeasedDelivery): void {
    const ended = deliver(db, delivery, holder, options).finally(() => inFlight.delete(attempt))
    const attempt: Attempt = { isFailing: delivery.is_failing, startedAt: Date.now(), ended }
    inFlight.add(attempt)
    attempts += 1
  }

  try {
    while (Date.now() < deadline && attempts < RUN_DELIVERIES) {
      const free = SLOTS - inFlight.size
      if (free > 0) {
        if (scan.after === scan.until) startedIdle = inFlight.size === 0
        const failingCount = FAILING_SLOTS - countFailing(inFlight)
        const lease = await leaseDeliveries<Lease>(db, { holder, count: free, failingCount, ...scan })
        for (const delivery of lease.deliveries) begin(delivery)
        const isOver = lease.cursor === null
        if (isOver && startedIdle && lease.deliveries.length === 0) break
        scan = advance(scan, lease)
        // Pause after a full scan, or when every slot is in use. Otherwise the next lease continues at once where this one ended.
        const mayRest = isOver || lease.deliveries.length === free
        if (!mayRest || inFlight.size === 0) continue
      } else if (onStuck && areStuck(inFlight)) {
        deadline = Math.min(deadline, Date.now() + onStuck())
        onStuck = undefined
      }
      await Promise.race([scheduler.wait(POLL_MILLISECONDS), ...endings(inFlight)])
    }
  } finally {
    await Promise.all(endings(inFlight))
  }
  return attempts
}

const endings = (attempts: Set<Attempt>) => [...attempts].map(({ ended }) => ended)

const countFailing = (attempts: Set<Attempt>) => [...attempts].filter(({ isFailing }) => isFailing).length

function areStuck(attempts: Set<Attempt>): boolean {
  const now = Date.now()
  return [...attempts].every(({ startedAt }) => now - startedAt > STUCK_MILLISECONDS)
}
