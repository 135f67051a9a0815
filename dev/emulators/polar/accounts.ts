import { hash } from 'node:crypto'
import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { listPaywalls, type SellerOf } from '../core/paywalls.ts'

/**
 * A paywall's Polar credentials, and what its organisation sells: a product has one price for each currency, so the prices
 * of a product have its id. Currencies are in lower case, as Polar writes them.
 */
export type PolarAccount = SellerOf<'polar'>

/** An organisation: in the emulator every token has one of its own. */
export const toOrganizationId = (accessToken: string) => toUuid(`organization ${accessToken}`)

/** A UUID that is the same for the same text. */
export function toUuid(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Credentials as Polar makes them, for a demo. */
export const demoCredentials = () => ({
  accessToken: `polar_oat_${randomHex(20)}`,
  webhookSecret: `polar_whs_${randomHex(20)}`,
})

/** The Polar accounts that the emulator is to have, with the products that exist there. */
export const listAccounts = (files: PaywallFile[]): PolarAccount[] => listPaywalls(files, 'polar', { lowerCase: true })
