import { isCurrency, shift } from '../../lib/money/money.ts'
import { MOLLIE_CURRENCIES } from '../../lib/processors/mollie/currencies.ts'
import { STRIPE_CURRENCIES, STRIPE_DECIMALS } from '../../lib/processors/stripe/currencies.ts'

interface SoldIn {
  name: string
  currencies: ReadonlySet<string>
  /** The decimals that can be charged at most, where they are fewer than the currency has. */
  decimals: Readonly<Record<string, number>>
}

const SOLD_IN: Readonly<Record<string, SoldIn>> = {
  stripe: { name: 'Stripe', currencies: STRIPE_CURRENCIES, decimals: STRIPE_DECIMALS },
  mollie: { name: 'Mollie', currencies: MOLLIE_CURRENCIES, decimals: {} },
}

/** Why a processor cannot charge this, and which of the two fields is wrong; null if it can. */
export function currencyProblem(
  acquiring: string,
  { currency, amount }: { currency: string; amount: number },
): { field: 'currency' | 'amount'; message: string } | null {
  const processor = SOLD_IN[acquiring]
  if (!processor || !isCurrency(currency)) return null
  if (!processor.currencies.has(currency)) {
    return { field: 'currency', message: `${processor.name} cannot be paid in ${currency}` }
  }
  const decimals = processor.decimals[currency]
  if (decimals === undefined || Number.isInteger(shift(amount, decimals))) return null
  const most = decimals === 0 ? 'without decimals' : `with ${decimals} decimals at most`
  return { field: 'amount', message: `${processor.name} charges ${currency} ${most}` }
}
