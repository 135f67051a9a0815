import type { FilePaywall, FilePrice, PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { shift, toMajorUnits } from '../../../lib/money/money.ts'
import { accountId, type PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'
import { decimalsAtStripe } from './currencies.ts'

/** A paywall's Stripe credentials, and the prices that exist in its Stripe account, in Stripe's units of the currency. */
export interface StripeAccount extends PaywallOf {
  paywallName: string
  secretKey: string
  prices: SoldPrice[]
}

export const idOfKey = (secretKey: string) => accountId('acct_', secretKey)

/** Credentials as Stripe makes them, for a demo. */
export const demoCredentials = () => ({
  secretKey: `sk_test_${randomHex(24)}`,
  webhookSecret: `whsec_${randomHex(24)}`,
})

/**
 * The Stripe accounts that the emulator is to have: each paywall's credentials, and the prices that exist at Stripe.
 */
export function accountsOf(files: PaywallFile[]): StripeAccount[] {
  return files.flatMap(({ paywalls }) => paywalls.flatMap(stripeAccount))
}

function stripeAccount({ id, name, processor, prices }: FilePaywall): StripeAccount[] {
  if (processor.acquiring !== 'stripe') return []
  return [{ paywallId: id, paywallName: name, ...processor.credentials, prices: prices.flatMap(stripePrices) }]
}

/**
 * Stripe has one currency a price, so each local variant of a price is another price there. Its owner has entered the
 * amount of the file, which Stripe counts in units of its own.
 */
function stripePrices({ label, interval, interval_count, locals, ...price }: FilePrice): StripeAccount['prices'] {
  return [price, ...locals].map(({ processor_price, currency, amount }) => ({
    id: processor_price,
    label,
    currency,
    amount: shift(toMajorUnits(amount, currency), decimalsAtStripe(currency)),
    interval,
    intervalCount: interval_count,
  }))
}
