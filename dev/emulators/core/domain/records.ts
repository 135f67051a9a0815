import * as z from 'zod'
import { AttemptRecord, DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from './money-records.ts'
import {
  CustomerRecord,
  MandateRecord,
  PageRecord,
  PortalSessionRecord,
  SubscriptionRecord,
} from './selling-records.ts'
import { own, owned, table } from './tables.ts'

/*
 * The records that an emulator stores, with the fields it needs. Each processor's `objects/` derives its full objects from them.
 */

const anything = z.record(z.string(), z.unknown())

/** `object` is what the event is about, in the API's format, as it was when the event happened. */
const EventRecord = z.object({
  ...owned,
  type: z.string(),
  object: anything,
  own: anything,
  /** By paywall: whether its endpoint accepted the event. Absent as long as attempts follow. */
  outcomes: z.record(z.string(), z.boolean()),
})

/** The delivery of one event to one paywall's webhook URL. */
const DeliveryRecord = z.object({
  id: z.string(),
  event: z.string(),
  paywallId: z.string(),
  attempts: z.int(),
  /** When the processor would retry, by the account's clock. */
  nextAt: z.int(),
})

/** The stored response for an idempotency key; `id` consists of account and key. */
const ReplyRecord = z.object({
  id: z.string(),
  created: z.int(),
  path: z.string(),
  fingerprint: z.string(),
  status: z.int(),
  body: z.string(),
  requestId: z.string(),
})

/** The version of an object as shown; `id` consists of the account, the kind and the object's id. */
const VersionRecord = z.object({
  id: z.string(),
  fingerprint: z.string(),
  /** In milliseconds. */
  version: z.int(),
  isFirst: z.boolean(),
})

/** The account's own record. */
const AccountRecord = z.object({
  id: z.string(),
  /** The offset of the account's clock, in seconds. */
  ahead: z.number(),
  own,
})

export const Records = z.strictObject({
  accounts: table(AccountRecord),
  customers: table(CustomerRecord),
  mandates: table(MandateRecord),
  pages: table(PageRecord),
  subscriptions: table(SubscriptionRecord),
  invoices: table(InvoiceRecord),
  payments: table(PaymentRecord),
  attempts: table(AttemptRecord),
  refunds: table(RefundRecord),
  disputes: table(DisputeRecord),
  portalSessions: table(PortalSessionRecord),
  events: table(EventRecord),
  deliveries: table(DeliveryRecord),
  replies: table(ReplyRecord),
  versions: table(VersionRecord),
})

export type Records = z.output<typeof Records>
export type EventRecord = z.output<typeof EventRecord>
export type DeliveryRecord = z.output<typeof DeliveryRecord>
export type ReplyRecord = z.output<typeof ReplyRecord>
export type AccountRecord = z.output<typeof AccountRecord>

/** The record types by table, for records that belong to an account and have ids. */
interface Rows {
  customers: CustomerRecord
  mandates: MandateRecord
  pages: PageRecord
  subscriptions: SubscriptionRecord
  invoices: InvoiceRecord
  payments: PaymentRecord
  attempts: AttemptRecord
  refunds: RefundRecord
  disputes: DisputeRecord
  portalSessions: PortalSessionRecord
  events: EventRecord
}

export type Table = keyof Rows
export type Row<Name extends Table> = Rows[Name]
export type Tables = { [Name in Table]: Map<string, Row<Name>> }
