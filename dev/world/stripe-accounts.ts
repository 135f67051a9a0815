import type { FilePaywall, FilePrice, PaywallFile } from '../../cli/paywall-file/file.ts'
import type { StripeAccount } from '../emulators/stripe/emulator.ts'

/** What the files say about Stripe: each paywall's credentials, and the prices that exist over there. */
export function stripeAccounts(files: PaywallFile[]): StripeAccount[] {
  return files.flatMap(({ paywalls }) => paywalls.flatMap(stripeAccount))
}

function stripeAccount({ id, name, processor, prices }: FilePaywall): StripeAccount[] {
  if (processor.acquiring !== 'stripe') return []
  return [{ paywallId: id, paywallName: name, ...processor.credentials, prices: prices.flatMap(stripePrices) }]
}

/** A price and its local variants are prices of their own at Stripe. */
function stripePrices({ label, interval, interval_count, locals, ...price }: FilePrice): StripeAccount['prices'] {
  return [price, ...locals].map(({ processor_price, currency, amount }) => ({
    id: processor_price,
    label,
    currency,
    amount,
    interval,
    intervalCount: interval_count,
  }))
}
