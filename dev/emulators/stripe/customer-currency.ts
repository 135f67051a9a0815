import { type AccountContext, newestOf } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { refused } from './errors.ts'

/**
 * Stripe bills a customer in one currency at a time: while it has a subscription, or an open session that leads to one,
 * it gets neither in another currency. A one-time payment may be in any.
 */
export function refuseOtherCurrency(
  context: AccountContext,
  { mode, customer, price }: Pick<PageRecord, 'mode' | 'customer' | 'price'>,
): void {
  if (mode !== 'subscription' || customer === null) return
  const running = newestOf(context, 'subscriptions', { customer }).filter((each) => !hasEnded(each))
  const open = newestOf(context, 'pages', { customer, mode }).filter(
    ({ id }) => findPage(context, id).status === 'open',
  )
  const currencies = [...running, ...open].map((bound) => bound.price.currency.toLowerCase())
  const currency = currencies.find((bound) => bound !== price.currency)
  if (currency !== undefined) throw refused('currencies_combined', { currency })
}
