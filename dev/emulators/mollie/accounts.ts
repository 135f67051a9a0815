import { type AccountOf, accountId, type PaywallOf } from '../core/accounts.ts'

/** What the emulator knows of one paywall: the API key of its Mollie account, and the secret of its webhook there. */
export interface MollieAccount extends PaywallOf {
  apiKey: string
}

export type Account = AccountOf<MollieAccount>

/** An account's test and live data are apart, as two accounts are: the id begins with which of them it is. */
export const idOfKey = (apiKey: string) => accountId(apiKey.startsWith('live_') ? 'live_' : 'test_', apiKey)

export const modeOf = (accountId: string) => (accountId.startsWith('live_') ? 'live' : 'test')

/** A Mollie account sells under a profile; the emulator's have one each. */
export const profileOf = (accountId: string) => `pfl_${accountId.slice(-10)}`
