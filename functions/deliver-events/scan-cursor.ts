import type { Lease } from './leased-delivery.ts'

/**
 * Where a run is in its scan of the webhook endpoints for which something is pending, in the order of their ids. A lease
 * looks at a hundred of them, the next one goes on where it ended, and behind the last comes the first.
 */
export interface ScanCursor {
  /** The next lease looks behind this webhook endpoint, … */
  after: string
  /** … and up to this one: from there to `after` nothing was due. */
  until: string
  /** Those that had a turn last: they get another one if slots are left, wherever the scan is. */
  recent: string[]
}

/** The first scan starts anywhere, so that nobody is always the last. */
export function startScan(): ScanCursor {
  const anywhere = crypto.randomUUID()
  return { after: anywhere, until: anywhere, recent: [] }
}

/** A lease that gave something starts another scan: nothing is known of those that it passed. */
export function advance({ until, recent }: ScanCursor, { deliveries, cursor }: Lease): ScanCursor {
  const after = cursor ?? deliveries.at(-1)?.endpoint_id ?? until
  const hadTurn = deliveries.filter((delivery) => !delivery.is_failing).map((delivery) => delivery.endpoint_id)
  return {
    after,
    until: cursor === null || deliveries.length > 0 ? after : until,
    recent: hadTurn.length > 0 ? [...new Set(hadTurn)] : recent,
  }
}
