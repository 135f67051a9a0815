import { sha256Hex } from '../../lib/crypto/crypto.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { type NewSecret, newApiKey } from './secrets.ts'
import type { Stored, StoredKey } from './stored.ts'

export interface KeysDifference {
  /** One sentence a change. */
  changes: string[]
  /** What the file may not say, with its path in the file. */
  errors: string[]
  newSecrets: NewSecret[]
  /** Ids of keys. A key that gets another name is revoked and saved. */
  toRevoke: string[]
  toSave: KeyRow[]
}

export interface KeyRow {
  name: string
  key_hash: string
  is_test: boolean
}

/** The hashes of the file's keys, in their order; null for a key that is ours to make. */
export function hashKeys({ keys }: PaywallFile): Promise<(string | null)[]> {
  return Promise.all(keys.map(({ secret }) => (secret === null ? null : sha256Hex(secret))))
}

/** What makes the owner's valid keys those of the file. `hashes` are as `hashKeys` gives them. */
export async function compareKeys(
  file: PaywallFile,
  hashes: (string | null)[],
  stored: Stored,
): Promise<KeysDifference> {
  const difference: KeysDifference = { changes: [], errors: [], newSecrets: [], toRevoke: [], toSave: [] }
  const validKeys = stored.keys.filter(({ foreign, revoked }) => !foreign && !revoked)
  const unchangedIds = new Set<string>()

  for (const [index, key] of file.keys.entries()) {
    const hash = hashes[index] ?? null
    const isForeign = stored.keys.some(({ foreign, key_hash }) => foreign && key_hash === hash)
    if (isForeign) difference.errors.push(`keys[${index}].secret: is a key of another owner`)
    const unchanged = validKeys.find(
      ({ name, key_hash, is_test }) => name === key.name && (hash ? key_hash === hash : is_test === key.is_test),
    )
    if (unchanged) unchangedIds.add(unchanged.id)
    else await addKey(difference, key, hash, validKeys)
  }

  const keysToRevoke = validKeys.filter(({ id }) => !unchangedIds.has(id))
  difference.toRevoke = keysToRevoke.map(({ id }) => id)
  const isSaved = (key: StoredKey) =>
    difference.toSave.some(({ name, key_hash }) => name === key.name || key_hash === key.key_hash)
  // A key with another name or secret has its sentence already: only what is gone for good is called revoked.
  const removedKeys = keysToRevoke.filter((key) => !isSaved(key))
  difference.changes.push(...removedKeys.map(({ name }) => `key ${name}: revoked`))
  return difference
}

async function addKey(
  difference: KeysDifference,
  { name, is_test }: PaywallFile['keys'][number],
  hash: string | null,
  validKeys: StoredKey[],
): Promise<void> {
  const otherName = validKeys.find(({ key_hash }) => key_hash === hash)?.name
  const hasName = validKeys.some((key) => key.name === name)
  if (otherName !== undefined) difference.changes.push(`key ${name}: was called ${otherName}`)
  else difference.changes.push(`key ${name}: ${hasName ? 'new secret, the old one is revoked' : 'new'}`)

  if (hash) return void difference.toSave.push({ name, key_hash: hash, is_test })
  const secret = newApiKey(is_test)
  difference.newSecrets.push({ what: `key ${name}`, secret })
  difference.toSave.push({ name, key_hash: await sha256Hex(secret), is_test })
}
