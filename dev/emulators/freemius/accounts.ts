import { randomBytes } from 'node:crypto'
import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import type { Account } from '../core/domain/accounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { type EnteredPrice, listPaywalls, type SellerOf } from '../core/paywalls.ts'

/** A paywall's Freemius product. */
export interface FreemiusAccount extends SellerOf<'freemius'> {
  /** Where buyers go after a purchase, as the owner has entered it in the dashboard. */
  returnUrl: string
  /**
   * What each pricing of a plan costs in one billing cycle: the id is `plan_id:pricing_id`, which the monthly, the annual and
   * the lifetime price of a pricing have in common. The trial is the plan's.
   */
  prices: EnteredPrice[]
}

/** The paywalls that sell a product. */
export const listSellers = ({ account }: AccountContext) => (account as Account<FreemiusAccount>).paywalls

/** Credentials as Freemius makes them, for a demo. */
export const demoCredentials = () => ({
  productId: String(randomBytes(5).readUIntBE(0, 5)),
  publicKey: `pk_${randomBytes(15).toString('hex')}`,
  secretKey: `sk_${randomBytes(15).toString('hex')}`,
  apiKey: randomBytes(20).toString('hex'),
})

/** The Freemius products that the emulator is to have. Each owner has entered the address of its paywall for signed returns. */
export const listAccounts = (files: PaywallFile[], serviceUrl: () => string): FreemiusAccount[] =>
  listPaywalls(files, 'freemius').map((paywall) => ({
    ...paywall,
    returnUrl: `${serviceUrl()}/return/freemius/${paywall.paywallId}`,
  }))
