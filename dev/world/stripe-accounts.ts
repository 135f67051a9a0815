import type { FilePaywall, FilePrice, PaywallFile } from '../../cli/paywall-file/file.ts'
import { shift, toMajorUnits } from '../../lib/money/money.ts'
import type { StripeAccount } from '../emulators/stripe/accounts.ts'
import { decimalsAtStripe } from '../emulators/stripe/currencies.ts'

/**
 * The Stripe accounts that the emulator is to have: each paywall's credentials, and the prices that exist at Stripe.
 */
export function stripeAccounts(files: PaywallFile[]): StripeAccount[] {
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
