import { WorkerEntrypoint } from 'cloudflare:workers'
import type { SealedAccount } from '../../lib/processors/account.ts'
import type { ProcessorsRpc } from '../../lib/processors/rpc.ts'
import { Account } from './account.ts'

/**
 * Makes every call to a processor. The other Workers call it over a service binding and pass the owner's credentials encrypted: only this
 * Worker can decrypt them, and it has no database and no public route.
 */
export default class Processors extends WorkerEntrypoint<Cloudflare.ProcessorsEnv> implements ProcessorsRpc {
  account(sealed: SealedAccount, requestId: string | null): Account {
    return new Account(sealed, requestId, this.env)
  }
}
