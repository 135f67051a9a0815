import { join } from 'node:path'
import type pg from 'pg'
import * as z from 'zod'
import { newApiKey } from '../../cli/apply/keys.ts'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { readJsonFile, writePrivately } from './private-file.ts'

// A key without `secret` is ours to make, and the database has it hashed. The world keeps those that it makes, so that what was
// printed at the first start works at every later one.

type FileKey = PaywallFile['keys'][number]

const KeptKeys = z.array(z.strictObject({ owner: z.string(), name: z.string(), secret: z.string() }))

/** Gives a file the secrets of its keys that have none. */
export type CompleteKeys = (file: PaywallFile) => Promise<PaywallFile>

/**
 * Keeps keys in `folder`. A key that `database` has already and that was not made here stays without a secret: to make another
 * would revoke it.
 */
export function openKeptKeys(folder: string, database: pg.Pool): CompleteKeys {
  const path = join(folder, 'keys.json')
  const kept = KeptKeys.parse(readJsonFile(path) ?? [])

  function keep(owner: string, { name, is_test: isTest }: FileKey): string {
    const secret = newApiKey(isTest)
    kept.push({ owner, name, secret })
    writePrivately(path, JSON.stringify(kept, null, 2))
    return secret
  }

  async function secretOf(owner: string, key: FileKey, valid: ValidKey[]): Promise<string | null> {
    const mine = kept.findLast((each) => each.owner === owner && each.name === key.name)?.secret
    const stored = valid.find(({ name }) => name === key.name)
    if (!stored) return mine ?? keep(owner, key)
    return mine !== undefined && (await sha256Hex(mine)) === stored.key_hash ? mine : null
  }

  return async (file) => {
    if (file.keys.every(({ secret }) => secret !== null)) return file
    const owner = file.owner.email
    const valid = await validKeys(database, owner)
    const keys = []
    for (const key of file.keys) keys.push({ ...key, secret: key.secret ?? (await secretOf(owner, key, valid)) })
    return { ...file, keys }
  }
}

interface ValidKey {
  name: string
  key_hash: string
}

async function validKeys(database: pg.Pool, owner: string): Promise<ValidKey[]> {
  const { rows } = await database.query<ValidKey>(
    `select k.name, k.key_hash from api_keys k join owners o on o.id = k.owner_id
     where o.email = $1 and k.revoked_at is null`,
    [owner],
  )
  return rows
}
