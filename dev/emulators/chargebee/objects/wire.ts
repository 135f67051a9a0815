import type {
  Comment,
  CreditNote,
  Customer,
  Event,
  HostedPage,
  Invoice,
  ItemPrice,
  PortalSession,
  Subscription,
  Transaction,
} from 'chargebee'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

/** A type of the official SDK as it is on the wire, where each object says what it is, without room for other fields. */
export type Wire<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] } & { object: string }

/** An event, the same in a webhook and in the API. `content` has the objects as they were when it happened. */
export type ChargebeeEvent = Omit<Wire<Event>, 'content' | 'event_type'> & {
  content: Record<string, unknown>
  event_type: string
}

interface Kinds {
  customer: Wire<Customer>
  hosted_page: Wire<HostedPage>
  subscription: Wire<Subscription>
  invoice: Wire<Invoice>
  line_item: Wire<Invoice.LineItem>
  credit_note: Wire<CreditNote>
  transaction: Wire<Transaction>
  item_price: Wire<ItemPrice>
  portal_session: Wire<PortalSession>
  comment: Wire<Comment>
  event: ChargebeeEvent
}

/** An object of Chargebee's: what is the same in all of its kind is in `constants.json`. */
export const complete = completer<Kinds>()(CONSTANTS)

/** When an object was changed, and its version, which grows with every change. */
export const version = (updatedAt: number) => ({ updated_at: updatedAt, resource_version: updatedAt * 1000 })
