import type { CallInterceptor, RecordedCall } from './calls.ts'
import type { ControlMethods, WireObject } from './controls/controls.ts'
import type { Records } from './domain/records.ts'
import type { Processor } from './processor.ts'

export interface EmulatorOptions<Paywall> {
  port: number
  /** The paywalls that sell through the processor. Called at every use, so they can change while the emulator runs. */
  accounts: () => Paywall[]
  /** The origin that webhooks are sent to. */
  serviceUrl: () => string
  /** The `fetch` that sends webhooks. */
  fetch?: typeof fetch
  /** Whether accounts have the processor's rate limit. Default true. A limit set for an account always applies. */
  rateLimited?: boolean
  /** A file that keeps the records, including undelivered webhooks, for the next start. */
  statePath?: string
}

/** The interface of every emulator for tests and the local world. */
export interface Emulator<Event, Body> {
  url: string
  /** Every API call received, oldest first. */
  calls: RecordedCall<Body>[]
  readonly events: Event[]
  /** All stored records of all accounts. Read-only. */
  readonly records: Records
  /** The id of the account that a paywall sells through. */
  getAccount(paywallId: string): string

  /** Holds back all webhooks from now on. */
  holdWebhooks(): void
  /**
   * Ends the hold and sends the held events one after the other in the order that `order` returns. It may repeat events to send
   * them again, and leave out events to lose them. Resolves to the statuses of the responses; 0: no response.
   */
  sendHeldWebhooks(order?: (events: Event[]) => Event[]): Promise<number[]>
  /** Sends an event again. Resolves to one status for each paywall of its account. */
  resend(eventId: string): Promise<number[]>
  /** Resolves once every webhook that is not held back was accepted or given up. */
  drainWebhooks(): Promise<void>

  /** The time of a paywall's account in unix seconds: real time, unless it was moved. */
  currentTime(paywallId: string): number
  /** When something next falls due in a paywall's account if its clock is moved; null: nothing. */
  nextDue(paywallId: string): number | null
  /** The paywalls with the same account, including this one; empty if it has no account. */
  paywallsSharingAccount(paywallId: string): string[]
  /**
   * Moves the clock of a paywall's account forward to a time in unix seconds. Everything that falls due until then happens in order: periods
   * end, charges are made, pending payments complete, webhooks are retried.
   */
  moveTo(paywallId: string, at: number): Promise<void>
  /** Makes charges of a customer's stored payment method fail, or succeed again. */
  declineCharges(customerId: string, declines?: boolean): Promise<void>
  /** Deletes all idempotency keys, as processors do after some time. */
  forgetKeys(): void

  /**
   * Intercepts each API call while set. Awaiting before `run` delays the call, awaiting after it delays the response; throwing
   * a `DroppedCall` closes the connection. Until it resolves, the call's idempotency key is in use.
   */
  onCall?: CallInterceptor<Body> | undefined
  /** Makes the next call to exactly this path get this response, without effect. */
  failNext(path: string, status: number, body?: unknown): void

  close(): Promise<void>
}

/** One processor's emulator: its controls are methods, its lists and switches are properties. */
export type ProcessorEmulator<P extends Processor> = Emulator<
  ReturnType<P['webhookFormat']['eventObject']>,
  ReturnType<P['api']['readBody']>
> &
  ControlMethods<P['controls']> & { readonly [Name in keyof P['lists']]: WireObject[] } & Record<
    P['switches'][number],
    boolean
  >
