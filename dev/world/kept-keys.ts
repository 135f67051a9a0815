import { join } from 'node:path'
import type pg from 'pg'
import * as z from 'zod'
import { newApiKey } from '../../cli/apply/keys.ts'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { readJsonFile, writePrivately } from './private-file.ts'

// For a key without `secret` the world creates one, of which the database has only the hash. It keeps the secrets in a file, so that
// a key printed at the first start works at every later one.

type FileKey = PaywallFile['keys'][number]

const KeptKeys = z.array(z.strictObject({ owner: z.string(), name: z.string(), secret: z.string() }))

/** Adds the missing secrets to a file's keys. */
export type CompleteKeys = (file: PaywallFile) => Promise<PaywallFile>

/**
 * Keeps keys in `folder`. A key that `database` already has and that was created elsewhere stays without a secret: creating another
 * would revoke it.
 */
export function openKeptKeys(folder: string, database: pg.Pool): CompleteKeys {
  const path = join(folder, 'keys.json')
  const kept = KeptKeys.parse(readJsonFile(path) ?? [])

  function createKey(owner: string, { name, is_test: isTest }: FileKey): string {
    const secret = newApiKey(isTest)
    kept.push({ owner, name, secret })
    writePrivately(path, JSON.stringify(kept, null, 2))
    return secret
  }

  async function findSecret(owner: string, key: FileKey, valid: ValidKey[]): Promise<string | null> {
    const mine = kept.findLast((each) => each.owner === owner && each.name === key.name)?.secret
    const stored = valid.find(({ name }) => name === key.name)
    if (!stored) return mine ?? createKey(owner, key)
    return mine !== undefined && (await sha256Hex(mine)) === stored.key_hash ? mine : null
  }

  return async (file) => {
    if (file.keys.every(({ secret }) => secret !== null)) return file
    const owner = file.owner.email
    const valid = await validKeys(database, owner)
    const keys = []
    for (const key of file.keys) keys.push({ ...key, secret: key.secret ?? (await findSecret(owner, key, valid)) })
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
