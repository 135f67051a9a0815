import { type AccountContext, find } from '../../core/domain/context.ts'
import { salePaidBy } from '../../core/domain/sales.ts'
import type { PageRecord, PortalSessionRecord, SoldPrice } from '../../core/domain/selling-records.ts'
import { billsOf } from '../bills.ts'
import { pageOwn } from '../own.ts'
import { withBuyer } from './money.ts'
import { withCustomer } from './subscription.ts'
import { complete, version } from './wire.ts'

export function hostedPageObject(page: PageRecord, context: AccountContext) {
  const { id, mode, created, expiresAt } = page
  const { passThru } = pageOwn(page)
  return complete('hosted_page', {
    ...{ id, url: `${context.url}/pages/v3/${id}`, state: stateOf(page) },
    type: mode === 'subscription' ? 'checkout_new' : 'checkout_one_time',
    ...(passThru !== null && { pass_thru_content: passThru }),
    ...{ created_at: created, expires_at: expiresAt, ...version(created) },
    content: bought(page, context),
  })
}

/** A page whose time is over keeps its state. */
export function stateOf(page: PageRecord) {
  if (page.status === 'complete') return 'succeeded' as const
  return pageOwn(page).cancelled ? ('cancelled' as const) : ('created' as const)
}

/** What was bought on the page, as it is now. A trial has no invoice. */
export function bought({ status, subscription, payment }: PageRecord, context: AccountContext) {
  if (status !== 'complete') return {}
  const bill = payment === null ? null : salePaidBy(context, find(context, 'payments', payment))
  const [first = bill] = subscription === null ? [] : billsOf(context, subscription)
  if (first) return withBuyer(first, context)
  return subscription === null ? {} : withCustomer(find(context, 'subscriptions', subscription), context)
}

export const PORTAL_SECONDS = 3600

/** What is sold on a page. */
export function itemPriceObject({ id, label: name, amount, currency, interval, intervalCount }: SoldPrice) {
  const period = interval && { period: intervalCount ?? 1, period_unit: interval }
  const about = { id, name, price: amount, currency_code: currency, ...period }
  return complete('item_price', { ...about, item_type: interval ? 'plan' : 'charge' })
}

export function portalObject({ id, created, customer, returnUrl }: PortalSessionRecord, { url }: AccountContext) {
  return complete('portal_session', {
    ...{ id, token: id, access_url: `${url}/portal/v2/${id}`, customer_id: customer },
    ...(returnUrl !== null && { redirect_url: returnUrl }),
    ...{ created_at: created, expires_at: created + PORTAL_SECONDS },
  })
}
