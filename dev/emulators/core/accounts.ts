import { hash } from 'node:crypto'

/**
 * What an emulator knows of a paywall, whatever the processor: its webhooks' address has the id, the secret signs them.
 */
export interface PaywallOf {
  paywallId: string
  webhookSecret: string
}

/** One account at the processor: every paywall that uses the same secret key. */
export interface AccountOf<Paywall extends PaywallOf> {
  id: string
  paywalls: Paywall[]
}

/** Groups paywalls into accounts, by id. */
export function groupAccounts<Paywall extends PaywallOf>(
  paywalls: Paywall[],
  idOf: (paywall: Paywall) => string,
): Map<string, AccountOf<Paywall>> {
  const accounts = new Map<string, AccountOf<Paywall>>()
  for (const paywall of paywalls) {
    const id = idOf(paywall)
    const account = accounts.get(id) ?? { id, paywalls: [] }
    account.paywalls.push(paywall)
    accounts.set(id, account)
  }
  return accounts
}

/** An account's id, made of its key's hash: the same after a restart, and the key cannot be read from it. */
export const accountId = (prefix: string, secretKey: string) => `${prefix}${hash('sha256', secretKey).slice(0, 16)}`
