import { type AccountContext, all } from '../core/domain/context.ts'
import { expireIfOver } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { invalidRequest } from './errors.ts'

/**
 * Stripe bills a customer in one currency at a time: while it has a subscription, or an open session that leads to one, it gets
 * neither in another currency. A one-time payment may be in any.
 */
export function refuseOtherCurrency(
  context: AccountContext,
  { mode, customer, price }: Pick<PageRecord, 'mode' | 'customer' | 'price'>,
): void {
  if (mode !== 'subscription' || customer === null) return
  const bound = currenciesOf(context, customer).find((currency) => currency !== price.currency)
  if (bound === undefined) return
  throw invalidRequest(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, invoice item or active subscription mode checkout session with currency ${bound}.`,
  )
}

/** The currencies, in lower case, that a customer's subscriptions and open sessions are in. */
function currenciesOf(context: AccountContext, customer: string): string[] {
  const isTheirs = (record: { customer: string | null }) => record.customer === customer
  const running = all(context, 'subscriptions').filter((each) => isTheirs(each) && !hasEnded(each))
  const open = all(context, 'pages').filter((page) => {
    if (page.mode !== 'subscription' || !isTheirs(page)) return false
    expireIfOver(context, page)
    return page.status === 'open'
  })
  return [...running, ...open].map(({ price }) => price.currency.toLowerCase())
}
