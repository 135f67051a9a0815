import type { CallInterceptor, RecordedCall } from './calls.ts'

export interface EmulatorOptions<Account> {
  port: number
  /** Called at every use, so the accounts may change while the emulator runs. */
  accounts: () => Account[]
  /** The origin that webhooks are sent to. */
  serviceUrl: () => string
  /** Sends the webhooks; the runtime's own by default. */
  fetch?: typeof fetch
  /** Where the records are kept, so that the next start goes on with them, undelivered webhooks included. */
  statePath?: string
}

/** What a test or a person can do with every emulator. */
export interface Emulator<Event, Body> {
  url: string
  /** Every API call that arrived, the oldest first. */
  calls: RecordedCall<Body>[]
  readonly events: Event[]

  /** Holds back the webhooks of all events from now on. */
  holdWebhooks(): void
  /**
   * Ends the hold and sends the events that were held back, one after the other, in the order given. An event that
   * `order` repeats is sent again; one that it leaves out is lost. Resolves to the statuses of the responses; 0 stands
   * for no response.
   */
  sendHeldWebhooks(order?: (events: Event[]) => Event[]): Promise<number[]>
  /** Sends an event again, now. Resolves to one status for each paywall of its account. */
  resend(eventId: string): Promise<number[]>
  /** Resolves once every event that is not held back has been accepted or given up. */
  drainWebhooks(): Promise<void>

  /**
   * Stands between each API call and its effect, while set. Awaiting before `run` delays the call, awaiting after it
   * delays the response; throwing a `DroppedCall` cuts the connection. Meanwhile the call's idempotency key is in use.
   */
  onCall?: CallInterceptor<Body> | undefined
  /** The next call to exactly this path gets this response and has no effect. */
  failNext(path: string, status: number, body?: unknown): void

  close(): Promise<void>
}
