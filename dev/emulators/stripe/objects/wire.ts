import type Stripe from 'stripe'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

type Scalar = string | number | bigint | boolean | symbol | null | undefined

/** A type of the official SDK in wire format, where decimals are strings. */
type Wire<T> = T extends Scalar
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Element)[]
      ? Wire<Element>[]
      : { [Key in keyof T]: Wire<T[Key]> }

type Shown =
  | Stripe.Coupon
  | (Stripe.BillingPortal.Session | Stripe.Charge | Stripe.Checkout.Session | Stripe.Customer | Stripe.Dispute)
  | Stripe.InvoiceItem
  | (Stripe.Invoice | Stripe.InvoiceLineItem | Stripe.InvoicePayment | Stripe.LineItem | Stripe.PaymentIntent)
  | (Stripe.Plan | Stripe.Price | Stripe.Refund | Stripe.Subscription | Stripe.SubscriptionItem)
  | Stripe.SubscriptionSchedule

/** Stripe's objects by their field `object`, of this API version. */
export const complete = completer<{ [Each in Shown as Each['object']]: Wire<Each> } & NestedObjects>()(CONSTANTS)

/** Objects inside others that have no field `object`. */
interface NestedObjects {
  subscription_schedule_phase: Wire<Stripe.SubscriptionSchedule.Phase>
  subscription_schedule_item: Wire<Stripe.SubscriptionSchedule.Phase.Item>
  total_tax: Wire<Stripe.Invoice.TotalTax>
}

/** A list with one page: few lists of the emulator are longer. */
export const toList = <Element>(url: string, data: Element[], has_more = false) => ({
  object: 'list' as const,
  url,
  has_more,
  data,
})
