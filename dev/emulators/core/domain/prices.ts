import type { Account, AnyPaywall } from './accounts.ts'
import type { AccountContext } from './context.ts'
import type { SoldPrice } from './selling-records.ts'

/**
 * The price with that id, and who sells it: the paywall that the sale names, if it does. Throws the processor's error if the
 * account has none. `param`: the parameter that named it.
 */
export function findSold(
  { account, noSuch }: AccountContext,
  id: string,
  { param, paywallId }: { param?: string; paywallId?: unknown } = {},
) {
  const found = findPrice(account, (price) => price.id === id, paywallId)
  if (!found) throw noSuch('prices', id, param)
  return found
}

/**
 * A price of an account, and the name of the paywall that sells it. Paywalls of one account may have a price in common: the
 * seller is then the one whose id is `named`.
 */
export function findPrice(
  { paywalls }: Account<AnyPaywall>,
  isMeant: (price: SoldPrice) => boolean,
  named?: unknown,
): { price: SoldPrice; seller: string } | null {
  const price = paywalls.flatMap(({ prices = [] }) => prices).find(isMeant)
  if (!price) return null
  const owner = paywalls.find(({ prices }) => prices?.includes(price))
  const seller = paywalls.find(({ paywallId }) => paywallId === named) ?? owner
  return { price, seller: seller?.paywallName ?? '' }
}
