import { type AccountContext, newestFirst } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { runningSubscriptions } from '../core/domain/subscriptions.ts'
import CURRENCIES from './currencies.json' with { type: 'json' }
import { refused } from './errors.ts'

/*
 * Currencies from Stripe's documentation (docs.stripe.com/currencies, and the error that lists the supported ones). Independent of
 * the adapter and of ISO 4217, so that mistakes of the adapter are detected. Currencies are in lower case, as at Stripe.
 */

const SUPPORTED = CURRENCIES.supported.split(' ')
const ZERO_DECIMAL = CURRENCIES.zeroDecimal.split(' ')
const THREE_DECIMAL = CURRENCIES.threeDecimal.split(' ')
/** Currencies without decimals for which Stripe still expects two, which must be 00. */
const EFFECTIVELY_ZERO_DECIMAL = CURRENCIES.effectivelyZeroDecimal.split(' ')

/** The number of decimals of an amount. */
export function decimalsAtStripe(currency: string): number {
  const code = currency.toLowerCase()
  if (ZERO_DECIMAL.includes(code)) return 0
  return THREE_DECIMAL.includes(code) ? 3 : 2
}

/** Throws Stripe's 400 for an unsupported currency, or an invalid amount for the currency. */
export function rejectUnsupportedCharge(amount: number, code: string, param: string): void {
  const details = { code, currency: code.toUpperCase(), supported: SUPPORTED.join(', '), param }
  if (!SUPPORTED.includes(code)) throw refused('currency_unsupported', details)
  if (EFFECTIVELY_ZERO_DECIMAL.includes(code) && amount % 100 !== 0) throw refused('currency_without_decimals', details)
  if (THREE_DECIMAL.includes(code) && amount % 10 !== 0) throw refused('currency_of_three_decimals', details)
}

/**
 * Stripe bills a customer in one currency at a time: with a subscription, or an open session for one, it refuses both in another
 * currency. One-time payments may be in any currency.
 */
export function rejectSecondCurrency(
  context: AccountContext,
  { mode, customer, price }: Pick<PageRecord, 'mode' | 'customer' | 'price'>,
): void {
  if (mode !== 'subscription' || customer === null) return
  const pages = newestFirst(context, 'pages', { customer, mode })
  const open = pages.filter(({ id }) => findPage(context, id).status === 'open')
  const inUse = [...runningSubscriptions(context, customer), ...open]
  const other = inUse.find((each) => each.price.currency !== price.currency)
  if (other) throw refused('currencies_combined', { currency: other.price.currency })
}
