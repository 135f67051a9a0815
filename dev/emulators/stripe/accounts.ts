import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { accountId } from '../core/domain/accounts.ts'
import { listPaywalls, type SellerOf } from '../core/paywalls.ts'
import { decimalsAtStripe } from './currencies.ts'

/** A paywall's Stripe credentials, and the prices that exist in its Stripe account. */
export type StripeAccount = SellerOf<'stripe'>

export const toAccountId = (secretKey: string) => accountId('acct_', secretKey)

/** Credentials in Stripe's format, for a demo. */
export const demoCredentials = () => ({
  secretKey: `sk_test_${randomHex(24)}`,
  webhookSecret: `whsec_${randomHex(24)}`,
})

/** The emulator's accounts, with the prices that exist there, in Stripe's units of the currency. */
export const listAccounts = (files: PaywallFile[]): StripeAccount[] =>
  listPaywalls(files, 'stripe', { currencyDecimals: decimalsAtStripe, lowerCase: true })
