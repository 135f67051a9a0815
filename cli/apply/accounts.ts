// A paywall's account at its processor: whether its credentials differ, and how they are written.
import { seal } from '../../lib/crypto/seal.ts'
import { accountContext } from '../../lib/processors/account.ts'
import { type Database, splitBatches } from '../database.ts'
import type { FilePaywall } from '../paywall-file/file.ts'
import { type Change, toChange } from './changes.ts'
import { type StoredPaywall, sameJson, unsealOrNull } from './stored.ts'

export interface AccountRow {
  paywall_id: string
  acquiring: string
  /** Sealed. */
  credentials: string
}

/** What makes the paywall's credentials those of the file. `sealingKey` seals them. */
export async function compareAccount(
  { id, processor: { acquiring, credentials } }: FilePaywall,
  stored: StoredPaywall | undefined,
  sealingKey: string,
): Promise<{ changes: Change[]; toSave: AccountRow[] }> {
  const context = accountContext({ paywallId: id, acquiring })
  const account = stored?.accounts.find((one) => one.acquiring === acquiring)
  const storedCredentials = account ? await unsealOrNull(account.credentials, sealingKey, context) : null
  if (storedCredentials !== null && sameJson(JSON.parse(storedCredentials), credentials))
    return { changes: [], toSave: [] }
  const sealed = await seal(JSON.stringify(credentials), sealingKey, context)
  return {
    changes: [toChange(`paywall ${id}`, `${account ? 'other' : 'new'} ${acquiring} credentials`)],
    toSave: [{ paywall_id: id, acquiring, credentials: sealed }],
  }
}

/** Adds accounts or changes their credentials. Accounts at other processors stay: purchases made there live on. */
export async function saveAccounts(db: Database, accounts: AccountRow[]): Promise<void> {
  for (const rows of splitBatches(accounts, ({ paywall_id }) => paywall_id)) {
    await db
      .insertInto('processor_accounts')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['paywall_id', 'acquiring'])
          .doUpdateSet(({ ref }) => ({ credentials: ref('excluded.credentials') })),
      )
      .execute()
  }
}
