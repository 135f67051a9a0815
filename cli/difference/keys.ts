import { randomHex, sha256Hex } from '../../lib/crypto/crypto.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import type { Standing } from '../sql/read-standing.sql.ts'
import type { KeyRow } from '../sql/save-keys.sql.ts'
import type { MadeSecret } from './made-secret.ts'

export interface KeysDifference {
  changes: string[]
  errors: string[]
  made: MadeSecret[]
  /** Ids of the keys that go, and of those that are saved again under another name. */
  revoked: string[]
  saved: KeyRow[]
}

/** The hashes of the file's own keys; null for a key that is ours to make. */
export function hashKeys(file: PaywallFile): Promise<(string | null)[]> {
  return Promise.all(file.keys.map(({ secret }) => (secret === null ? null : sha256Hex(secret))))
}

/** What makes the owner's valid keys those of the file. `hashes` are as `hashKeys` gives them. */
export async function differenceOfKeys(
  file: PaywallFile,
  hashes: (string | null)[],
  standing: Standing,
): Promise<KeysDifference> {
  const difference: KeysDifference = { changes: [], errors: [], made: [], revoked: [], saved: [] }
  const valid = standing.keys.filter(({ foreign, revoked }) => !foreign && !revoked)
  const kept = new Set<string>()

  for (const [index, key] of file.keys.entries()) {
    const hash = hashes[index] ?? null
    const holder = standing.keys.find(({ foreign, key_hash }) => foreign && key_hash === hash)
    if (holder) difference.errors.push(`keys[${index}].secret: is a key of another account`)
    const standingKey = valid.find(
      ({ name, key_hash, is_test }) => name === key.name && (hash ? key_hash === hash : is_test === key.is_test),
    )
    if (standingKey) kept.add(standingKey.id)
    else await add(difference, key, hash, valid)
  }

  difference.revoked = valid.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  const replaced = new Set(difference.saved.flatMap(({ name, key_hash }) => [name, key_hash]))
  const gone = valid.filter(({ id, name, key_hash }) => !(kept.has(id) || replaced.has(name) || replaced.has(key_hash)))
  difference.changes.push(...gone.map(({ name }) => `key ${name}: revoked`))
  return difference
}

async function add(
  difference: KeysDifference,
  { name, is_test }: PaywallFile['keys'][number],
  hash: string | null,
  valid: KeyRow[],
): Promise<void> {
  const former = valid.find(({ key_hash }) => key_hash === hash)
  const rotated = valid.some((key) => key.name === name)
  if (former) difference.changes.push(`key ${name}: was called ${former.name}`)
  else difference.changes.push(`key ${name}: ${rotated ? 'new secret, the old one is revoked' : 'new'}`)

  if (hash) return void difference.saved.push({ name, key_hash: hash, is_test })
  const secret = `pk_${is_test ? 'test' : 'live'}_${randomHex(32)}`
  difference.made.push({ what: `key ${name}`, secret })
  difference.saved.push({ name, key_hash: await sha256Hex(secret), is_test })
}
