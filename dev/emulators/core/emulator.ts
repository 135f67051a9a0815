import type { CallHook, RecordedCall } from './calls.ts'

export interface EmulatorOptions<Account> {
  port: number
  /** Asked at every use, so they may change. */
  accounts: () => Account[]
  serviceUrl: () => string
  /** What webhooks are sent with: the runtime's own, unless somebody wants to see the answers. */
  fetch?: typeof fetch
  /** The emulator goes on where the last one at this path ended, webhooks that were not delivered included. */
  statePath?: string
}

/** What a test or a person can do with every emulator. */
export interface Emulator<Event, Body> {
  url: string
  /** Every API call that arrived, the oldest first. */
  calls: RecordedCall<Body>[]
  readonly events: Event[]

  /** From now on events wait. */
  holdWebhooks(): void
  /**
   * Ends the hold and sends what waits, one after the other, in the order given; an event may be repeated, and one
   * that is left out is lost. Resolves to the statuses of the answers, 0 for none.
   */
  releaseWebhooks(order?: (events: Event[]) => Event[]): Promise<number[]>
  /** Sends an event again, now: one status for each paywall of its account. */
  resend(eventId: string): Promise<number[]>
  /** Resolves once every event that is not held has been accepted or given up. */
  webhooksSettled(): Promise<void>

  /**
   * Stands between each API call and its effect, while set. Awaiting in front of `run` delays the call, behind it the
   * answer; throwing a `DroppedCall` hangs up. The call's idempotency key is taken meanwhile.
   */
  onCall?: CallHook<Body> | undefined
  /** The next call to exactly this path gets this answer and has no effect. */
  failNext(path: string, status: number, body?: unknown): void

  close(): Promise<void>
}
