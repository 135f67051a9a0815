import type { components } from './generated/api.ts'
import type { PriceSlug } from './register.ts'

type Schemas = components['schemas']

/** A user's state on the paywall, as the API returns it. */
export type UserState = Schemas['UserState']
export type Purchase = Schemas['Purchase']
export type PurchaseWithPayment = Schemas['PurchaseWithPayment']
export type Bootstrap = Omit<Schemas['Bootstrap'], 'prices'> & { prices: Price[] }
/** A price of bootstrap. Its slug is one of the paywall file's, so that `open` and `checkout` accept it. */
export type Price = Omit<Schemas['Price'], 'slug'> & { slug: PriceSlug }
/** An offer of bootstrap that takes something off. Of the owner's own entries, which are in the same list, any field may be missing. */
export type Offer = Extract<Bootstrap['offers'][number], { title: string; prices: string[] }>
export type Checkout = Schemas['Checkout']
export type Cancelled = Schemas['Cancelled']
export type PlanPreview = Extract<Schemas['PlanChange'], { quote: string }>
export type ChangedPlan = Exclude<Schemas['PlanChange'], PlanPreview>
export type EndedPurchase = Schemas['EndedPurchase']
export type RefundedPurchase = Schemas['RefundedPurchase']
export type ChangedBalance = Schemas['ChangedBalance']
export type Grant = Schemas['Grant']
export type Granted = Schemas['Granted']
export type EndedGrant = Schemas['EndedGrant']
export type Withdrawn = Schemas['Withdrawn']
export type OpenedTicket = Schemas['OpenedTicket']
export type EventList = Schemas['EventList']
export type Tokens = Schemas['Tokens']
export type CodeSent = Schemas['CodeSent']
export type SessionEnded = Schemas['SessionEnded']
