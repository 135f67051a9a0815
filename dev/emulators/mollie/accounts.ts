import type { PaywallFile } from '../../../cli/paywall-file/file.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import { type AnyPaywall, accountId } from '../core/domain/accounts.ts'
import { listPaywalls } from '../core/paywalls.ts'

/** A paywall's Mollie credentials. Mollie knows no prices. */
export type MollieAccount = AnyPaywall & Omit<Credentials<'mollie'>, 'webhookSecret'> & { webhookSecret?: string }

/**
 * An account's test and live data are separate at Mollie, so each key has an account of its own, `test_…` or `live_…`.
 */
export const toAccountId = (apiKey: string) => accountId(apiKey.startsWith('live_') ? 'live_' : 'test_', apiKey)

export const accountMode = (accountId: string) => (accountId.startsWith('live_') ? 'live' : 'test')

/** A Mollie account sells under a profile; in the emulator each account has one. */
export const accountProfile = (accountId: string) => `pfl_${accountId.slice(-10)}`

/** Credentials as Mollie makes them, for a demo. */
export const demoCredentials = () => ({ apiKey: `test_${randomHex(15)}`, webhookSecret: randomHex(16) })

/** The Mollie accounts that the emulator is to have: each paywall's credentials. */
export const listAccounts = (files: PaywallFile[]): MollieAccount[] => listPaywalls(files, 'mollie')
