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

/** A call with its route, ready to run for an account. */
export type Execution = (context: AccountContext) => object

/** How a processor's API parses calls and formats responses. */
export interface Api<Paywall extends AnyPaywall, Body> {
  /** The header of the idempotency key, in lower case; null if the processor has none. */
  keyHeader: string | null
  keyRules: KeyRules
  /** Equal for bodies that the processor considers equal. */
  fingerprint(body: string): string
  /** The parsed body with which the call is recorded. */
  readBody(request: HttpRequest): Body
  /** The account of a call. Throws if its credential is missing or wrong. */
  authenticate(request: HttpRequest, accounts: ReadonlyMap<string, Account<Paywall>>): Account<Paywall>
  /** Finds the route. Its errors are not stored under the idempotency key. */
  prepare(call: RecordedCall<Body>, request: HttpRequest): Execution
  okStatus(method: string): number
  /** The rate limit of an account, if documented. */
  rateLimit?: RateLimit
  /** The 429 response, without `Retry-After`. */
  tooManyCalls?(): { headers?: Record<string, string>; body: string }
  /** The body of an error response. */
  errorBody(error: EmulatorError): object
  /** `replayedRequestId`: of the request whose stored response this is. */
  headers(response: { requestId: string; key: string | null; replayedRequestId: string | null }): Record<string, string>
}

/** How a processor formats events and webhooks. */
export interface WebhookFormat<Paywall extends AnyPaywall, Event> {
  /** The processor's events for a domain event. */
  toEvents(domainEvent: DomainEvent, context: AccountContext): NewEvent[]
  /** An event as it is sent. `pending`: the number of its undelivered webhooks. */
  eventObject(event: EventRecord, about: { url: string; pending: number }): Event
  /** The headers of a webhook, including its signature. */
  headers(body: string, paywall: Paywall, event: EventRecord): Record<string, string>
  /** Whether a paywall has a webhook at the processor. Default true. */
  hasWebhook?(paywall: Paywall): boolean
  /** An unsigned request to a URL in the event's object, in addition to the account's webhooks; null: none. */
  toNotice?(event: EventRecord): { address: string; headers: Record<string, string>; body: string } | null
  /** The intervals between attempts, in seconds of the account's clock. */
  retrySeconds: number[]
  /** The number of events in a row for which all attempts have failed, after which the endpoint is disabled. Absent: it never is. */
  failuresToDisable?: number
}

/** An event of any processor. */
export interface AnyEvent {
  id: string
}

/** Everything that differs between processors. `createEmulator` makes an emulator of it. */
export interface Processor {
  name: ProcessorName
  accountId(paywall: AnyPaywall): string
  newId(kind: Table): string
  noSuch(table: Named, id: string, param?: string): EmulatorError
  refuse(message: string): EmulatorError
  api: Api<AnyPaywall, unknown>
  webhookFormat: WebhookFormat<AnyPaywall, AnyEvent>
  /** The hosted pages by path prefix. */
  visits: Record<string, PageVisit>
  /** The due work of an account. */
  listDues(context: AccountContext): Due[]
  /** For the front page: the prefix of the API's paths, and the name of the credential. */
  about: { path: string; credential: string }
  /** The controls by method name. */
  controls: Record<string, RecordControl>
  /** The API's objects for records, as far as controls and lists show them. */
  views: Views
  /** The tables that the emulator exposes as lists, by property name. */
  lists: Record<string, Table>
  /** The names of boolean properties that change the emulator's behavior; initially false. */
  switches: readonly string[]
}

/** The type of the paywalls that a processor's `accountId` accepts. */
export type PaywallType<P extends Processor> = P['accountId'] extends (
  paywall: infer Paywall extends AnyPaywall,
) => string
  ? Paywall
  : never
