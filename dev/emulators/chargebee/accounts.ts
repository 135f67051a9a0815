import type { FilePaywall, FilePrice, PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { shift, toMajorUnits } from '../../../lib/money/money.ts'
import { accountId, type PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'
import { decimalsAtChargebee } from './currencies.ts'

/**
 * A paywall's Chargebee credentials, and the item prices that exist on its site, in Chargebee's units. Webhooks are not signed:
 * `webhookSecret` is the password that is sent along.
 */
export interface ChargebeeAccount extends PaywallOf {
  paywallName: string
  site: string
  apiKey: string
  webhookUser: string
  prices: SoldPrice[]
}

/** All sites share the emulator's address, so the API key alone says which one is meant. */
export const idOfKey = (apiKey: string) => accountId('site_', apiKey)

/** Credentials as an owner has them of Chargebee, for a demo. */
export const demoCredentials = () => ({
  site: `acme-${randomHex(4)}-test`,
  apiKey: `test_${randomHex(20)}`,
  webhookUser: `hooks-${randomHex(4)}`,
  webhookPassword: randomHex(24),
})

/** The sites that the emulator is to have: each paywall's credentials, and the item prices that its owner has made. */
export function accountsOf(files: PaywallFile[]): ChargebeeAccount[] {
  return files.flatMap(({ paywalls }) => paywalls.flatMap(accountOf))
}

function accountOf({ id, name, processor, prices }: FilePaywall): ChargebeeAccount[] {
  if (processor.acquiring !== 'chargebee') return []
  const { site, apiKey, webhookUser, webhookPassword } = processor.credentials
  const account = { site, apiKey, webhookUser, webhookSecret: webhookPassword }
  return [{ paywallId: id, paywallName: name, ...account, prices: prices.flatMap(itemPrices) }]
}

/** An item price has one currency, so each local variant of a price is another item price. */
function itemPrices({ label, interval, interval_count, locals, ...price }: FilePrice): SoldPrice[] {
  return [price, ...locals].map(({ processor_price, currency, amount }) => ({
    id: processor_price,
    label,
    currency,
    amount: shift(toMajorUnits(amount, currency), decimalsAtChargebee(currency)),
    interval,
    intervalCount: interval_count,
  }))
}
