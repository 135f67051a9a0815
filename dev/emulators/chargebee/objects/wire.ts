import type * as Chargebee from 'chargebee'
import type { AccountContext } from '../../core/domain/context.ts'
import { currentVersion } from '../../core/domain/versions.ts'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

/** A type of the official SDK in wire format: with the object's kind, without the index signature. */
export type Wire<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] } & { object: string }

/** An event, in webhooks and in the API. `content` has the objects as they were at the event. */
export type ChargebeeEvent = Omit<Wire<Chargebee.Event>, 'content' | 'event_type'> & {
  content: Record<string, unknown>
  event_type: string
}

interface Kinds {
  customer: Wire<Chargebee.Customer>
  /** The SDK's type of `content` combines pages of all types. */
  hosted_page: Omit<Wire<Chargebee.HostedPage>, 'id' | 'content'> & { id: string; content: object }
  subscription: Wire<Chargebee.Subscription>
  invoice: Wire<Chargebee.Invoice>
  line_item: Wire<Chargebee.Invoice.LineItem>
  discount: Wire<Chargebee.Invoice.Discount>
  coupon: Wire<Chargebee.Coupon>
  tax: Wire<Chargebee.Invoice.Tax>
  credit_note: Wire<Chargebee.CreditNote>
  transaction: Wire<Chargebee.Transaction>
  item_price: Wire<Chargebee.ItemPrice>
  unbilled_charge: Wire<Chargebee.UnbilledCharge>
  portal_session: Wire<Chargebee.PortalSession>
  comment: Wire<Chargebee.Comment>
  estimate: Wire<Chargebee.Estimate>
  subscription_estimate: Wire<Chargebee.SubscriptionEstimate>
  invoice_estimate: Wire<Chargebee.InvoiceEstimate>
  credit_note_estimate: Wire<Chargebee.CreditNoteEstimate>
  event: ChargebeeEvent
}

/** Completes an object of Chargebee with the constants of its kind in `constants.json`. */
export const complete = completer<Kinds>()(CONSTANTS)

/** Objects under their names, as in responses and events. */
export const content = (...objects: (object | null | undefined)[]): Record<string, object> =>
  Object.fromEntries(objects.flatMap((each) => (each && 'object' in each ? [[each.object, each]] : [])))

/** Adds the time of the last change and the version, which grows with every change. */
export function versioned<Shown extends { id: string; object: string }>(context: AccountContext, shown: Shown) {
  const { version } = currentVersion(context, shown.object, shown)
  return { ...shown, updated_at: Math.floor(version / 1000), resource_version: version }
}
