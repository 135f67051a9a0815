// A paywall's keys of Cloudflare Turnstile: whether they differ, and how they are written.
import { seal } from '../../lib/crypto/seal.ts'
import { turnstileContext } from '../../lib/crypto/turnstile-context.ts'
import type { Database } from '../database.ts'
import type { FilePaywall } from '../paywall-file/file.ts'
import { type Change, toChange } from './changes.ts'
import { type StoredPaywall, unsealOrNull } from './stored.ts'

/** `secret_key` is sealed. */
export interface TurnstileRow {
  paywall_id: string
  site_key: string
  secret_key: string
}

/** What makes the paywall's keys those of the file. `sealingKey` seals the secret one. `toRemove`: ids of paywalls. */
export async function compareTurnstile(
  { id, turnstile }: FilePaywall,
  stored: StoredPaywall | undefined,
  sealingKey: string,
): Promise<{ changes: Change[]; toSave: TurnstileRow[]; toRemove: string[] }> {
  const what = `paywall ${id}`
  const known = stored?.turnstile[0]
  if (!turnstile) {
    return known
      ? { changes: [toChange(what, 'no Turnstile keys any more')], toSave: [], toRemove: [id] }
      : { changes: [], toSave: [], toRemove: [] }
  }
  const { siteKey, secretKey } = turnstile
  const context = turnstileContext(id)
  const isKnown =
    known?.site_key === siteKey && (await unsealOrNull(known.secret_key, sealingKey, context)) === secretKey
  if (isKnown) return { changes: [], toSave: [], toRemove: [] }
  const sealed = await seal(secretKey, sealingKey, context)
  return {
    changes: [toChange(what, `${known ? 'other' : 'new'} Turnstile keys`)],
    toSave: [{ paywall_id: id, site_key: siteKey, secret_key: sealed }],
    toRemove: [],
  }
}

/** Adds keys or changes them. */
export async function saveTurnstile(db: Database, ownerId: string, rows: TurnstileRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('turnstile_keys')
    .values(rows.map((row) => ({ ...row, owner_id: ownerId })))
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'paywall_id'])
        .doUpdateSet(({ ref }) => ({ site_key: ref('excluded.site_key'), secret_key: ref('excluded.secret_key') })),
    )
    .execute()
}

/** From now on these paywalls of an owner ask for no captcha. */
export async function removeTurnstile(db: Database, ownerId: string, paywallIds: string[]): Promise<void> {
  if (paywallIds.length === 0) return
  await db.deleteFrom('turnstile_keys').where('owner_id', '=', ownerId).where('paywall_id', 'in', paywallIds).execute()
}
