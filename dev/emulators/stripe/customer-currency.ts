import type { AccountContext } from './account-context.ts'
import { expireIfDue } from './checkout.ts'
import { invalidRequest } from './errors.ts'
import type { CheckoutSessionRecord } from './records.ts'
import { hasEnded } from './subscriptions.ts'

/**
 * Stripe bills a customer in one currency at a time: while it has a subscription, or an open session that leads to one, it gets
 * neither in another currency. A one-time payment may be in any.
 */
export function refuseOtherCurrency(
  context: AccountContext,
  { mode, customer, price }: Pick<CheckoutSessionRecord, 'mode' | 'customer' | 'price'>,
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
  const { sessions, subscriptions } = context.records
  const isOf = (record: { account: string; customer: string | null }) =>
    record.account === context.account.id && record.customer === customer
  const running = [...subscriptions.values()].filter((each) => isOf(each) && !hasEnded(each))
  const open = [...sessions.values()].filter((session) => {
    if (session.mode !== 'subscription' || !isOf(session)) return false
    expireIfDue(context, session)
    return session.status === 'open'
  })
  return [...running, ...open].map(({ price }) => price.currency.toLowerCase())
}
