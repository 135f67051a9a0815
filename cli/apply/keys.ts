// The owner's keys: compares the file with the database, and saves the differences.
import { sql } from 'kysely'
import { randomHex, sha256Hex } from '../../lib/crypto/crypto.ts'
import type { Database } from '../database.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { type Change, toChange, toDestructiveChange } from './changes.ts'
import type { StoredKey, StoredState } from './stored.ts'

export interface KeysDifference {
  changes: Change[]
  /** Errors in the file, with their paths. */
  errors: string[]
  newSecrets: NewSecret[]
  /** Ids of keys. A renamed key is revoked and saved again. */
  toRevoke: string[]
  toSave: KeyRow[]
}

/** A generated secret, which is shown to the owner only once. */
export interface NewSecret {
  /** What it belongs to: `key backend`, `live webhook https://…`. */
  what: string
  secret: string
}

interface KeyRow {
  name: string
  key_hash: string
  is_test: boolean
}

/** Hashes the file's keys, in their order; null for a key whose secret is to be generated. */
export function hashKeys({ keys }: PaywallFile): Promise<(string | null)[]> {
  return Promise.all(keys.map(({ secret }) => (secret === null ? null : sha256Hex(secret))))
}

/** Compares the owner's valid keys with the file's. `hashes` come from `hashKeys`. */
export async function compareKeys(
  file: PaywallFile,
  hashes: (string | null)[],
  stored: StoredState,
): Promise<KeysDifference> {
  const difference: KeysDifference = { changes: [], errors: [], newSecrets: [], toRevoke: [], toSave: [] }
  const validKeys = stored.keys.filter(({ foreign, revoked }) => !foreign && !revoked)
  const goneKeys = validKeys.filter(({ key_hash }) => !hashes.includes(key_hash))
  const unchangedIds = new Set<string>()
  const replacedIds = new Set<string>()

  for (const [index, key] of file.keys.entries()) {
    const hash = hashes[index] ?? null
    const isForeign = stored.keys.some(({ foreign, key_hash }) => foreign && key_hash === hash)
    if (isForeign) difference.errors.push(`keys[${index}].secret: belongs to another owner`)
    const unchanged = validKeys.find(
      ({ name, key_hash, is_test }) => name === key.name && (hash ? key_hash === hash : is_test === key.is_test),
    )
    if (unchanged) {
      unchangedIds.add(unchanged.id)
      continue
    }
    const otherName = validKeys.find(({ key_hash }) => key_hash === hash)?.name
    const replaced = otherName === undefined ? goneKeys.find(({ name }) => name === key.name) : undefined
    if (replaced) replacedIds.add(replaced.id)
    difference.changes.push(toKeyChange(key.name, otherName, replaced))
    await addKey(difference, key, hash)
  }

  difference.toRevoke = validKeys.filter(({ id }) => !unchangedIds.has(id)).map(({ id }) => id)
  // The change of a key with a new secret already says that the old one is revoked.
  const removedKeys = goneKeys.filter(({ id }) => !unchangedIds.has(id) && !replacedIds.has(id))
  difference.changes.push(
    ...removedKeys.map(({ id, name }) => toDestructiveChange(`key ${name}`, 'revoked', { keyId: id })),
  )
  return difference
}

/** `otherName` is the former name of a key with this secret. `replaced` is the key that had this name and whose secret is gone. */
function toKeyChange(name: string, otherName: string | undefined, replaced: StoredKey | undefined): Change {
  const what = `key ${name}`
  if (otherName !== undefined) return toChange(what, `renamed from ${otherName}`)
  if (replaced) return toDestructiveChange(what, 'new secret, the old one is revoked', { keyId: replaced.id })
  return toChange(what, 'new')
}

async function addKey(
  difference: KeysDifference,
  { name, is_test }: PaywallFile['keys'][number],
  hash: string | null,
): Promise<void> {
  if (hash) return void difference.toSave.push({ name, key_hash: hash, is_test })
  const secret = newApiKey(is_test)
  difference.newSecrets.push({ what: `key ${name}`, secret })
  difference.toSave.push({ name, key_hash: await sha256Hex(secret), is_test })
}

/** Generates an owner key (X-Api-Key): its mode and 32 random bytes. */
export function newApiKey(isTest: boolean): string {
  return `pk_${isTest ? 'test' : 'live'}_${randomHex(32)}`
}

export async function revokeKeys(db: Database, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('api_keys')
    .set({ revoked_at: sql`now()` })
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute()
}

/**
 * Adds owner keys. An existing one becomes valid again under its new name. One that belongs to another owner is skipped. Returns how many
 * were added or changed.
 */
export async function saveKeys(db: Database, ownerId: string, keys: KeyRow[]): Promise<number> {
  if (keys.length === 0) return 0
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('api_keys')
    .values(keys.map((key) => ({ ...key, owner_id: ownerId })))
    .onConflict((conflict) =>
      conflict
        .column('key_hash')
        .doUpdateSet(({ ref }) => ({ name: ref('excluded.name'), revoked_at: null }))
        .whereRef('api_keys.owner_id', '=', 'excluded.owner_id'),
    )
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}
