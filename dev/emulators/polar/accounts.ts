import { hash } from 'node:crypto'
import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { listPaywalls, type SellerOf } from '../core/paywalls.ts'

/**
 * A paywall's Polar credentials, and its organisation's products. A product has one price for each currency, so its prices share its
 * id. Currencies are in lower case, as at Polar.
 */
export type PolarAccount = SellerOf<'polar'>

/** The organisation of a token: in the emulator each token has its own. */
export const toOrganizationId = (accessToken: string) => toUuid(`organization ${accessToken}`)

/** Derives a UUID from a text. */
export function toUuid(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Credentials in Polar's format, for a demo. */
export const demoCredentials = () => ({
  accessToken: `polar_oat_${randomHex(20)}`,
  webhookSecret: `polar_whs_${randomHex(20)}`,
})

/** The emulator's accounts, with the products that exist there. */
export const listAccounts = (files: PaywallFile[]): PolarAccount[] => listPaywalls(files, 'polar', { lowerCase: true })
