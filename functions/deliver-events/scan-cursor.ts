import type { Lease } from './leased-delivery.ts'

/**
 * A run's position in its scan of the webhook endpoints with pending deliveries, in the order of their ids. A lease scans a hundred of
 * them, the next one continues where it ended, and after the last id the scan wraps around.
 */
export interface ScanCursor {
  /** The next lease begins after this webhook endpoint. */
  after: string
  /** The last endpoint of this scan. Those between it and `after` had nothing due. */
  until: string
  /** Webhook endpoints of the last deliveries: they get another one if slots are left, wherever the scan is. */
  recent: string[]
}

/** Starts at a random id, so that no endpoint is always the last. */
export function startScan(): ScanCursor {
  const randomId = crypto.randomUUID()
  return { after: randomId, until: randomId, recent: [] }
}

/** A lease that returned deliveries restarts the scan: nothing is known of the endpoints that it passed. */
export function advance({ until, recent }: ScanCursor, { deliveries, cursor }: Lease): ScanCursor {
  const after = cursor ?? deliveries.at(-1)?.endpoint_id ?? until
  const hadTurn = deliveries.filter((delivery) => !delivery.is_failing).map((delivery) => delivery.endpoint_id)
  return {
    after,
    until: cursor === null || deliveries.length > 0 ? after : until,
    recent: hadTurn.length > 0 ? [...new Set(hadTurn)] : recent,
  }
}
