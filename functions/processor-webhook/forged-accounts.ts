// A forged webhook that looks signed costs a read, since the secret is the paywall's own. So that a flood of them does not cost a
// read each, the account that was read for one proves the next ones for a moment. The memory is this isolate's own, and holds the
// credentials as sealed as the database does.
import type { SealedAccount } from '../../lib/processors/account.ts'

/** How many are remembered; the oldest are forgotten first. */
const MEMORY = 1_000

/** How long a new secret of an account may be refused while somebody forges: its processor sends again what was refused. */
const REMEMBERED_MS = 5_000

const remembered = new Map<string, { account: SealedAccount; until: number }>()

/** The account that a webhook for `address` was forged for a moment ago; null: none. */
export function forgedAccount(address: string): SealedAccount | null {
  const found = remembered.get(address)
  return found && Date.now() < found.until ? found.account : null
}

/** Notes that a webhook for `address` was forged, which `account` has shown. One that is remembered is not kept longer. */
export function rememberForged(address: string, account: SealedAccount): void {
  if (forgedAccount(address)) return
  remembered.delete(address)
  remembered.set(address, { account, until: Date.now() + REMEMBERED_MS })
  const [oldest] = remembered.size > MEMORY ? remembered.keys() : []
  if (oldest !== undefined) remembered.delete(oldest)
}
