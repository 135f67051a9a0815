import type { Account, AnyPaywall } from './accounts.ts'
import type { AccountContext } from './context.ts'
import type { SoldPrice } from './selling-records.ts'

/**
 * The price with that id and its seller, preferably the paywall `paywallId`. Throws the processor's error if the account has no such
 * price. `param`: the parameter that named it.
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
 * A price of an account and the name of the paywall that sells it. If several paywalls of the account sell the price, the seller is
 * the one with the id `named`.
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
