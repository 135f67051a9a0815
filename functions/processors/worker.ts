import { WorkerEntrypoint } from 'cloudflare:workers'
import type { SealedAccount } from '../../lib/processors/account.ts'
import type { ProcessorsRpc } from '../../lib/processors/rpc.ts'
import { Account } from './account.ts'

/**
 * Makes every call to a processor. The other Workers ask it over a service binding and hand the owner's credentials through
 * sealed: it alone can open them, and it has no database and no address.
 */
export default class Processors extends WorkerEntrypoint<Cloudflare.ProcessorsEnv> implements ProcessorsRpc {
  account(sealed: SealedAccount, requestId: string | null): Account {
    return new Account(sealed, requestId, this.env)
  }
}
