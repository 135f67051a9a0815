// A paywall's account at its processor: compares its credentials with the file, and saves them.
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

/** Compares the stored credentials with the file's. `sealingKey` encrypts them. */
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

/** Adds accounts or changes their credentials. Accounts at former processors stay: purchases made there continue. */
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
