import { hash } from 'node:crypto'

/** What every processor's paywall has: an address for its webhooks, and the secret they are signed with. */
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

/** An account's id: the same after a restart, and it tells nothing of the key. */
export const accountId = (prefix: string, secretKey: string) => `${prefix}${hash('sha256', secretKey).slice(0, 16)}`
