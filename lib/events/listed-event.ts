// What find-events.sql returns.

/** The result of find_events. */
export interface EventList {
  events: ListedEvent[]
  /** The `before` of the next page. */
  next: string | null
}

export interface ListedEvent {
  id: string
  type: string
  paywall_id: string
  created_at: string
  user: { id: string; email: string | null; external_id: string | null } | null
  deliveries: Delivery[]
}

export interface Delivery {
  endpoint_id: string
  url: string
  state: string
  attempts: number
  last_status: number | null
  last_error: string | null
  next_attempt_at: string | null
  finished_at: string | null
}

/** The result of event_details_json. */
export interface EventDetails extends ListedEvent {
  /** The bytes that are sent. */
  body: string
  is_redacted: boolean
  attempts: Attempt[]
}

export interface Attempt {
  url: string
  at: string
  milliseconds: number
  /** Null without a response. */
  status: number | null
  error: string | null
  /** The beginning of the response's body. Null without one, or if the event was redacted. */
  response: string | null
}

/** How many of an event's deliveries have which state: `delivered`, or `2 delivered` and `failed`. */
export const deliveryStates = (deliveries: { state: string }[]): { state: string; text: string }[] =>
  [...Map.groupBy(deliveries, ({ state }) => state)].map(([state, { length }]) => ({
    state,
    text: length > 1 ? `${length} ${state}` : state,
  }))
