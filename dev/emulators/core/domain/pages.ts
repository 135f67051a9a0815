import { TERMS } from '../controls/terms.ts'
import { DAY_SECONDS } from '../periods.ts'
import { amountsOn } from './amounts.ts'
import { type AccountContext, all, find, newRecord } from './context.ts'
import type { PageRecord } from './selling-records.ts'

type NewPage = Omit<PageRecord, 'account' | 'created' | 'gives' | Unused | Usual> &
  Partial<Pick<PageRecord, Usual>> & { gives?: Partial<PageRecord['gives']> }
type Unused = 'status' | 'payerEmail' | 'payment' | 'subscription' | 'invoice' | 'unpaid'
/** What a page has unless something else is given. */
type Usual = 'id' | 'mode' | 'terms' | 'quantity' | 'customer' | 'makesCustomer' | 'trialDays'

export function openPage(context: AccountContext, given: NewPage): PageRecord {
  const page = newPage(context, given)
  context.records.pages.set(page.id, page)
  return page
}

/** A page that is not kept yet. */
export function newPage(context: AccountContext, given: NewPage): PageRecord {
  return {
    ...newRecord(context, 'pages', given.id),
    ...{ status: 'open', payerEmail: null, payment: null, subscription: null, invoice: null, unpaid: false },
    mode: given.price.interval === null ? 'payment' : 'subscription',
    ...{
      terms: TERMS.of(context),
      quantity: 1,
      customer: null,
      makesCustomer: true,
      trialDays: daysUntil(given.trialEnd, context),
    },
    ...given,
    gives: { customer: {}, subscription: {}, payment: {}, ...given.gives },
  }
}

/** A trial that ends at a time lasts so many days, as people count them; null: there is none. */
const daysUntil = (end: number | undefined, { now }: AccountContext) =>
  end === undefined ? null : Math.ceil((end - now) / DAY_SECONDS)

/** The page with that id, closed if its time is over. */
export function findPage(context: AccountContext, id: string): PageRecord {
  const page = find(context, 'pages', id)
  expireIfOver(context, page)
  return page
}

/** What is to be paid today, and what that is made of. */
export const amountsToday = ({ price, quantity, terms, trialDays }: PageRecord) =>
  amountsOn(terms, trialDays === null ? price.amount * quantity : 0)

export const amountToday = (page: PageRecord) => amountsToday(page).total

/** Closes an open page whose time is over. */
export function expireIfOver(context: AccountContext, page: PageRecord): void {
  if (page.status === 'open' && page.expiresAt <= context.now) closePage(context, page)
}

export function closePage(context: AccountContext, page: PageRecord): PageRecord {
  page.status = 'expired'
  context.emit({ what: 'page.expired', page })
  return page
}

/**
 * If a page was completed before its money arrived, tells whether it did. `bought` is the id of its subscription or of
 * its one-time payment.
 */
export function reportDelayedPayment(context: AccountContext, bought: string, succeeds: boolean): void {
  for (const page of all(context, 'pages')) {
    if (!page.unpaid || ![page.subscription, page.payment].includes(bought)) continue
    page.unpaid = !succeeds
    context.emit({ what: succeeds ? 'page.paid' : 'page.failed', page })
  }
}
