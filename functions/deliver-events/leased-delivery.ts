/** What lease_deliveries gives. */
export interface Lease {
  deliveries: LeasedDelivery[]
  /** The webhook endpoint behind which the next lease looks on; null if this one has seen all that it was to see. */
  cursor: string | null
}

/** A delivery that is ours until its lease ends. The secrets are sealed. */
export interface LeasedDelivery {
  event_id: string
  endpoint_id: string
  paywall_id: string
  type: string
  body: string
  /** How many there were, this one included. */
  attempts: number
  /** Whether its webhook endpoint fails: those get few of a run's slots. */
  is_failing: boolean
  url: string
  secret: string
  /** Null outside a rotation. */
  previous_secret: string | null
  is_test: boolean
  /** The host of `url`, if it is a paywall's own domain. */
  own_domain: string | null
}
