// A forged webhook that looks signed costs a database read, since the secret is per paywall. In a flood, the account that was read for one
// forgery verifies the next ones for a moment. The cache belongs to this isolate, and holds the credentials encrypted, as the database
// does.
import type { SealedAccount } from '../../lib/processors/account.ts'

/** Number of entries; the oldest are evicted first. */
const MEMORY = 1_000

/** How long a rotated secret of an account may be refused during a flood of forgeries: the processor retries what was refused. */
const REMEMBERED_MS = 5_000

const remembered = new Map<string, { account: SealedAccount; until: number }>()

/** The account against which a webhook for `address` was found to be forged a moment ago; null if there is none. */
export function forgedAccount(address: string): SealedAccount | null {
  const found = remembered.get(address)
  return found && Date.now() < found.until ? found.account : null
}

/** Remembers that a webhook for `address` was forged, as `account` has shown. The expiry of an existing entry is not extended. */
export function rememberForged(address: string, account: SealedAccount): void {
  if (forgedAccount(address)) return
  remembered.delete(address)
  remembered.set(address, { account, until: Date.now() + REMEMBERED_MS })
  const [oldest] = remembered.size > MEMORY ? remembered.keys() : []
  if (oldest !== undefined) remembered.delete(oldest)
}
