// Delivers what is due, several at a time, until nothing is or its time is over:
// 1. lease what is due for the free slots, from where the scan is (scan-cursor.ts)
// 2. begin an attempt of each (deliver.ts)
// 3. as soon as a slot is free, back to 1: so the next event about a member goes out on the heels of the last. While attempts
//    hang, the other slots look again and again for what has become due since
// 4. once every slot is stuck, say so, and be told for how long to go on
// 5. wait for the attempts that are still under way
import { leaseDeliveries } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { deliver } from './deliver.ts'
import type { Lease, LeasedDelivery } from './leased-delivery.ts'
import type { PostOptions } from './post-event.ts'
import { advance, startScan } from './scan-cursor.ts'

/** An invocation may wait on six connections at once; the sixth is the lease's. */
const SLOTS = 5

/** How many of them go to webhook endpoints that fail: those may hang, and then the others still have the rest. */
const FAILING_SLOTS = 2

/** How soon to look again for due deliveries while attempts are under way and slots are free. */
const POLL_MILLISECONDS = 50

/** A slot is stuck if its attempt takes longer. */
const STUCK_MILLISECONDS = 1_000

/** The cron begins the next run after a minute. */
const RUN_MILLISECONDS = 60_000

/** A lease, a POST and a record for each stay within the subrequests that wrangler.toml allows an invocation. */
const RUN_DELIVERIES = 20_000

interface Attempt {
  isFailing: boolean
  startedAt: number
  ended: Promise<void>
}

/** Told that every slot is stuck: returns for how many more milliseconds new attempts may begin. */
type OnStuck = () => number

/** Returns how many attempts it began, when the last of them has ended. */
export async function deliverDue(db: Database, options: PostOptions, onStuck?: OnStuck): Promise<number> {
  const holder = crypto.randomUUID()
  let deadline = Date.now() + RUN_MILLISECONDS
  const inFlight = new Set<Attempt>()
  let attempts = 0
  let scan = startScan()
  let startedIdle = true // no attempt was in flight: one that ends later may make something due behind the cursor

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
        // After a whole scan, or with every slot taken. Otherwise the next lease goes on at once where this one ended.
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
