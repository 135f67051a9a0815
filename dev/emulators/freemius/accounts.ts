import { randomBytes } from 'node:crypto'
import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import type { Account } from '../core/domain/accounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { type EnteredPrice, listPaywalls, type SellerOf } from '../core/paywalls.ts'

/** A paywall's Freemius product. */
export interface FreemiusAccount extends SellerOf<'freemius'> {
  /** Where buyers return after a purchase, as entered in the dashboard. */
  returnUrl: string
  /**
   * The price of each pricing and billing cycle. The id is `plan_id:pricing_id`, which the monthly, annual and lifetime price of a
   * pricing share. The trial is the plan's.
   */
  prices: EnteredPrice[]
}

/** The paywalls that sell a product. */
export const listSellers = ({ account }: AccountContext) => (account as Account<FreemiusAccount>).paywalls

/** Credentials in Freemius' format, for a demo. */
export const demoCredentials = () => ({
  productId: String(randomBytes(5).readUIntBE(0, 5)),
  publicKey: `pk_${randomBytes(15).toString('hex')}`,
  secretKey: `sk_${randomBytes(15).toString('hex')}`,
  apiKey: randomBytes(20).toString('hex'),
})

/** The emulator's products. Each has its paywall's URL for signed returns. */
export const listAccounts = (files: PaywallFile[], serviceUrl: () => string): FreemiusAccount[] =>
  listPaywalls(files, 'freemius').map((paywall) => ({
    ...paywall,
    returnUrl: `${serviceUrl()}/return/freemius/${paywall.paywallId}`,
  }))
