import { TERMS } from '../controls/terms.ts'
import { DAY_SECONDS } from '../periods.ts'
import { amountsOn } from './amounts.ts'
import { type AccountContext, all, find, newRecord } from './context.ts'
import { Asks, type PageRecord } from './selling-records.ts'

type NewPage = Omit<PageRecord, 'account' | 'created' | 'gives' | SetByPaying | Defaulted> &
  Partial<Pick<PageRecord, Defaulted>> & { gives?: Partial<PageRecord['gives']> }
type SetByPaying =
  | 'status'
  | 'payerEmail'
  | 'payment'
  | 'subscription'
  | 'invoice'
  | 'unpaid'
  | 'promotionCode'
  | 'taxId'
/** The fields of a page that have defaults. */
type Defaulted = 'coupon' | 'id' | 'mode' | 'terms' | 'asks' | 'quantity' | 'customer' | 'makesCustomer' | 'trialDays'

/** What a page asks for by default: a payment method only. */
export const ASKS_NOTHING = Asks.parse({})

export function openPage(context: AccountContext, given: NewPage): PageRecord {
  const page = newPage(context, given)
  context.records.pages.set(page.id, page)
  return page
}

/** Creates a page without storing it. */
export function newPage(context: AccountContext, given: NewPage): PageRecord {
  return {
    ...newRecord(context, 'pages', given.id),
    status: 'open',
    payerEmail: null,
    payment: null,
    subscription: null,
    invoice: null,
    unpaid: false,
    promotionCode: null,
    coupon: null,
    taxId: null,
    mode: given.price.interval === null ? 'payment' : 'subscription',
    terms: TERMS.read(context),
    asks: ASKS_NOTHING,
    quantity: 1,
    customer: null,
    makesCustomer: true,
    trialDays: daysUntil(given.trialEnd, context),
    ...given,
    gives: { customer: {}, subscription: {}, payment: {}, ...given.gives },
  }
}

/** The length in days of a trial that ends at a time; null: no trial. */
const daysUntil = (end: number | undefined, { now }: AccountContext) =>
  end === undefined ? null : Math.ceil((end - now) / DAY_SECONDS)

/** The page with that id, closed if it has expired. */
export function findPage(context: AccountContext, id: string): PageRecord {
  const page = find(context, 'pages', id)
  expireIfOver(context, page)
  return page
}

/** The amount due today and its parts. */
export const amountsToday = ({ price, quantity, terms, trialDays }: PageRecord) =>
  amountsOn(terms, trialDays === null ? price.amount * quantity : 0)

export const amountToday = (page: PageRecord) => amountsToday(page).total

/** Whether the buyer must enter a payment method. */
export const needsCard = (page: PageRecord) => page.asks.card || amountToday(page) > 0

/** Closes an open page that has expired. */
export function expireIfOver(context: AccountContext, page: PageRecord): void {
  if (page.status === 'open' && page.expiresAt <= context.now) closePage(context, page)
}

export function closePage(context: AccountContext, page: PageRecord): PageRecord {
  page.status = 'expired'
  context.emit({ what: 'page.expired', page })
  return page
}

/**
 * Emits the outcome of the pending payment of a completed page. `bought` is the id of its subscription or one-time payment.
 */
export function reportDelayedPayment(context: AccountContext, bought: string, succeeds: boolean): void {
  for (const page of all(context, 'pages')) {
    if (!page.unpaid || ![page.subscription, page.payment].includes(bought)) continue
    page.unpaid = !succeeds
    context.emit({ what: succeeds ? 'page.paid' : 'page.failed', page })
  }
}

/** How often a discount was given: to pages that are paid, and to subscriptions that ran. */
export function countRedemptions({ records }: AccountContext, coupon: string): number {
  const usesCoupon = (record: { coupon: string | null }) => record.coupon === coupon
  const pages = [...records.pages.values()].filter((page) => usesCoupon(page) && page.status === 'complete')
  const given = [...records.subscriptions.values()].filter(
    (each) => usesCoupon(each) && each.discountFrom !== undefined,
  )
  return pages.length + given.length
}
