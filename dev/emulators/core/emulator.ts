import type { CallInterceptor, RecordedCall } from './calls.ts'
import type { ControlMethods, RecordControl, WireObject } from './controls/controls.ts'
import type { Records } from './domain/records.ts'

export interface EmulatorOptions<Paywall> {
  port: number
  /** The paywalls that sell through the processor. Called at every use, so they may change while the emulator runs. */
  accounts: () => Paywall[]
  /** The origin that webhooks are sent to. */
  serviceUrl: () => string
  /** Sends the webhooks; the runtime's own by default. */
  fetch?: typeof fetch
  /** Whether accounts have the processor's limit of calls; they do if it is left out. One that is set for an account counts in any case. */
  rateLimited?: boolean
  /** Where the records are kept, so that the next start goes on with them, undelivered webhooks included. */
  statePath?: string
}

/** What a test or a person can do with every emulator. */
export interface Emulator<Event, Body> {
  url: string
  /** Every API call that arrived, the oldest first. */
  calls: RecordedCall<Body>[]
  readonly events: Event[]
  /** All that it stores of all accounts. To be read only. */
  readonly records: Records
  /** The id of the account that a paywall sells through. */
  accountOf(paywallId: string): string

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

  /** The time of a paywall's account, in unix seconds: the real time, unless it was moved. */
  timeOf(paywallId: string): number
  /** When something falls due next in a paywall's account, if its clock is moved; null if nothing does. */
  nextDue(paywallId: string): number | null
  /** The paywalls that sell through a paywall's account, itself among them; none if it has no account. */
  sellersBeside(paywallId: string): string[]
  /**
   * Moves the clock of a paywall's account to a time in unix seconds, forward only. What falls due until then happens in order: periods end,
   * charges are made, money arrives, webhooks are tried again.
   */
  moveTo(paywallId: string, at: number): Promise<void>
  /** From now on the charges of what a customer has on file fail, or do not any more. */
  declineCharges(customerId: string, declines?: boolean): Promise<void>
  /** Forgets all idempotency keys, as processors do some time after their use. */
  forgetKeys(): void

  /**
   * Stands between each API call and its effect, while set. Awaiting before `run` delays the call, awaiting after it
   * delays the response; throwing a `DroppedCall` cuts the connection. Meanwhile the call's idempotency key is in use.
   */
  onCall?: CallInterceptor<Body> | undefined
  /** The next call to exactly this path gets this response and has no effect. */
  failNext(path: string, status: number, body?: unknown): void

  close(): Promise<void>
}

/** One processor's emulator: its controls are methods, its lists and switches are properties. */
export type TypedEmulator<
  Event,
  Body,
  Controls extends Record<string, RecordControl>,
  List extends string,
  Switch extends string,
> = Emulator<Event, Body> &
  ControlMethods<Controls> & { readonly [Name in List]: WireObject[] } & Record<Switch, boolean>
