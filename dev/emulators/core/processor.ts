import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { RecordedCall } from './calls.ts'
import type { RecordControl } from './controls/controls.ts'
import type { Account, AnyPaywall } from './domain/accounts.ts'
import type { AccountContext, Named } from './domain/context.ts'
import type { DomainEvent, NewEvent } from './domain/domain-events.ts'
import type { Due } from './domain/dues.ts'
import type { EventRecord, Table } from './domain/records.ts'
import type { PageVisit } from './pages/visits.ts'
import type { HttpRequest } from './server.ts'
import type { EmulatorError } from './wire/emulator-error.ts'
import type { KeyRules } from './wire/idempotency.ts'
import type { RateLimit } from './wire/rate-limit.ts'
import type { Views } from './wire/views.ts'

/** A call whose route is found, ready to run for an account. */
export type Execution = (context: AccountContext) => object

/** How a processor's API reads calls and writes responses. */
export interface Api<Paywall extends AnyPaywall, Body> {
  /** The header with the idempotency key, in lower case; null if the processor knows none. */
  keyHeader: string | null
  keyRules: KeyRules
  /** Equal for bodies that are the same to the processor. */
  fingerprint(body: string): string
  /** The body in the form in which the call is recorded. */
  readBody(request: HttpRequest): Body
  /** The account that a call is for. Throws if the call has no credential, or a wrong one. */
  authenticate(request: HttpRequest, accounts: ReadonlyMap<string, Account<Paywall>>): Account<Paywall>
  /** Finds the route. What it throws is stored under no idempotency key. */
  prepare(call: RecordedCall<Body>, request: HttpRequest): Execution
  okStatus(method: string): number
  /** How many calls an account may make, where that is documented. */
  rateLimit?: RateLimit
  /** The response to one call too many, without its header. */
  tooManyCalls?(): { headers?: Record<string, string>; body: string }
  /** The body of the response to a call that was refused. */
  errorBody(error: EmulatorError): object
  /** `replayOf` is the id of the request whose stored response is given again. */
  headers(response: { requestId: string; key: string | null; replayOf: string | null }): Record<string, string>
}

/** How a processor tells what happened. */
export interface WebhookFormat<Paywall extends AnyPaywall, Event> {
  /** The events that the processor makes of something. */
  toEvents(domainEvent: DomainEvent, context: AccountContext): NewEvent[]
  /** An event as it is sent. `pending`: how many webhooks it is still to be delivered to. */
  eventObject(event: EventRecord, about: { url: string; pending: number }): Event
  /** The headers that a webhook is sent with, its signature among them. */
  headers(body: string, paywall: Paywall, event: EventRecord): Record<string, string>
  /** Whether an owner has set up a webhook for a paywall; by default all have. */
  hasWebhook?(paywall: Paywall): boolean
  /** What is sent of an event to an address that its object has, unsigned, besides the webhooks of its account; null: nothing. */
  toNotice?(event: EventRecord): { address: string; headers: Record<string, string>; body: string } | null
  /** How long after each failed attempt the next one follows, in seconds of the account's clock. */
  retrySeconds: number[]
}

/** All that differs between processors. The rest of an emulator is made of it by `startEmulator`. */
export interface Processor<
  Paywall extends AnyPaywall,
  Event,
  Body,
  Controls extends Record<string, RecordControl>,
  List extends string,
  Switch extends string,
> {
  name: ProcessorName
  accountId(paywall: Paywall): string
  newId(kind: Table): string
  noSuch(table: Named, id: string, param?: string): EmulatorError
  refuse(message: string): EmulatorError
  api: Api<Paywall, Body>
  webhookFormat: WebhookFormat<Paywall, Event>
  /** The hosted pages, by what their paths begin with. */
  visits: Record<string, PageVisit>
  /** What waits for its time in an account. */
  listDues(context: AccountContext): Due[]
  /** For the front page: what the API's paths begin with, and the credential of a paywall file that it answers to. */
  about: { path: string; credential: string }
  /** What a test or a person can make happen to a record, by the method's name. */
  controls: Controls
  /** How it shows the records of its tables, as far as controls and lists do. */
  views: Views
  /** The tables whose records an emulator shows of all accounts, as they are now, by the property's name. */
  lists: Record<List, Table>
  /** What can be switched on for a while, by the property's name; off at the start. */
  switches: readonly Switch[]
}
