/** The result of webhook_endpoints_json: see webhook-endpoints.sql. */
export interface EndpointList {
  endpoints: WebhookEndpoint[]
  /** Up to how many deliveries are counted. */
  most: number
}

export interface WebhookEndpoint {
  id: string
  url: string
  events: string[]
  created_at: string
  /** Failed attempts since the last success. */
  failures: number
  disabled_at: string | null
  held_until: string | null
  /** Whether we generated its secret: then the paywall file does not contain it, and it can be rotated. */
  is_secret_generated: boolean
  /** Until when the previous secret signs, too. Null: no longer. */
  previous_secret_until: string | null
  pending: number
  failed: number
}

/** Whether deliveries arrive there, in words. `state` is that of a delivery which would look the same; null: neither. */
export function endpointHealth({ disabled_at, held_until, failures }: WebhookEndpoint): {
  state: 'delivered' | 'failed' | null
  text: string
} {
  if (disabled_at) return { state: null, text: 'disabled' }
  if (held_until) return { state: 'failed', text: 'its secret cannot be opened' }
  if (failures > 0) return { state: 'failed', text: `failing: ${failures} attempts` }
  return { state: 'delivered', text: 'healthy' }
}
