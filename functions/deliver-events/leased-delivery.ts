/** The result of lease_deliveries. */
export interface Lease {
  deliveries: LeasedDelivery[]
  /** The webhook endpoint after which the next lease continues; null if this lease completed the scan. */
  cursor: string | null
}

/** A delivery that is leased to this run. The secrets are encrypted. */
export interface LeasedDelivery {
  event_id: string
  endpoint_id: string
  paywall_id: string
  type: string
  body: string
  /** The number of attempts so far, including this one. */
  attempts: number
  /** Whether its webhook endpoint is failing: those get few of a run's slots. */
  is_failing: boolean
  url: string
  secret: string
  /** Null outside a rotation. */
  previous_secret: string | null
  is_test: boolean
  /** The host of `url`, if it is a paywall's own domain. */
  own_domain: string | null
}
