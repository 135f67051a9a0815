import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import { type AnyPaywall, accountId } from '../core/domain/accounts.ts'
import { listPaywalls } from '../core/paywalls.ts'

/** A paywall's Mollie credentials. Mollie has no prices. */
export type MollieAccount = AnyPaywall & Omit<Credentials<'mollie'>, 'webhookSecret'> & { webhookSecret?: string }

/**
 * Mollie separates test and live data, so each key, `test_…` or `live_…`, has its own account here.
 */
export const toAccountId = (apiKey: string) => accountId(apiKey.startsWith('live_') ? 'live_' : 'test_', apiKey)

export const accountMode = (accountId: string) => (accountId.startsWith('live_') ? 'live' : 'test')

/** The profile of an account; in the emulator each account has one. */
export const accountProfile = (accountId: string) => `pfl_${accountId.slice(-10)}`

/** Credentials in Mollie's format, for a demo. */
export const demoCredentials = () => ({ apiKey: `test_${randomHex(15)}`, webhookSecret: randomHex(16) })

/** The emulator's accounts: each paywall's credentials. */
export const listAccounts = (files: PaywallFile[]): MollieAccount[] => listPaywalls(files, 'mollie')
