import { type AccountContext, newestFirst } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import CURRENCIES from './currencies.json' with { type: 'json' }
import { refused } from './errors.ts'

/*
 * What Stripe's documents say of currencies (docs.stripe.com/currencies, and the error that lists those it takes). It is
 * written down once more here, and neither taken from the adapter nor from ISO 4217, so that an adapter that counts
 * differently is found out. Currencies are in lower case, as Stripe writes them.
 */

const SUPPORTED = CURRENCIES.supported.split(' ')
const ZERO_DECIMAL = CURRENCIES.zeroDecimal.split(' ')
const THREE_DECIMAL = CURRENCIES.threeDecimal.split(' ')
/** Written with two decimals although they have none any more: the amount has to be a multiple of 100. */
const EFFECTIVELY_ZERO_DECIMAL = CURRENCIES.effectivelyZeroDecimal.split(' ')

/** How many of an amount's digits stand behind the decimal point. */
export function decimalsAtStripe(currency: string): number {
  const code = currency.toLowerCase()
  if (ZERO_DECIMAL.includes(code)) return 0
  return THREE_DECIMAL.includes(code) ? 3 : 2
}

/** Throws Stripe's 400 for a currency that it does not take, or an amount that the currency cannot have. */
export function refuseUncharged(amount: number, code: string, param: string): void {
  const details = { code, currency: code.toUpperCase(), supported: SUPPORTED.join(', '), param }
  if (!SUPPORTED.includes(code)) throw refused('currency_unsupported', details)
  if (EFFECTIVELY_ZERO_DECIMAL.includes(code) && amount % 100 !== 0) throw refused('currency_without_decimals', details)
  if (THREE_DECIMAL.includes(code) && amount % 10 !== 0) throw refused('currency_of_three_decimals', details)
}

/**
 * Stripe bills a customer in one currency at a time: while it has a subscription, or an open session that leads to one,
 * it gets neither in another currency. A one-time payment may be in any.
 */
export function refuseOtherCurrency(
  context: AccountContext,
  { mode, customer, price }: Pick<PageRecord, 'mode' | 'customer' | 'price'>,
): void {
  if (mode !== 'subscription' || customer === null) return
  const pages = newestFirst(context, 'pages', { customer, mode })
  const open = pages.filter(({ id }) => findPage(context, id).status === 'open')
  const bound = [...runningSubscriptions(context, customer), ...open]
  const other = bound.find((each) => each.price.currency !== price.currency)
  if (other) throw refused('currencies_combined', { currency: other.price.currency })
}
