import type { Executor } from '../executor.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { Refusal } from '../refusal.ts'
import { readStanding } from '../sql/read-standing.sql.ts'
import { differenceOfEndpoints, type EndpointsDifference } from './endpoints.ts'
import { differenceOfKeys, hashKeys, type KeysDifference } from './keys.ts'
import { differenceOfPaywalls, type PaywallsDifference } from './paywalls.ts'

/** What seals the secrets that the database keeps: two Worker secrets, 32 bytes in base64url each. */
export interface SealingKeys {
  processorCredentialsKey: string
  webhookSecretsKey: string
}

/** All that stands between the database and a file. */
export interface Difference {
  /** Null: the owner is new. */
  ownerId: string | null
  keys: KeysDifference
  endpoints: EndpointsDifference
  paywalls: PaywallsDifference
  /** Ids of the owner's paywalls that the file does not name; they stay as they are. */
  leftAlone: string[]
}

/** Finds it, and throws a `Refusal` where the file takes what is another owner's. Changes nothing. */
export async function findDifference(db: Executor, file: PaywallFile, sealing: SealingKeys): Promise<Difference> {
  const hashes = await hashKeys(file)
  const standing = await readStanding(
    db,
    file,
    hashes.filter((hash) => hash !== null),
  )
  const keys = await differenceOfKeys(file, hashes, standing)
  const endpoints = await differenceOfEndpoints(file, standing, sealing.webhookSecretsKey)
  const paywalls = await differenceOfPaywalls(file, standing, sealing.processorCredentialsKey)

  const errors = [...keys.errors, ...paywalls.errors]
  if (errors.length > 0) throw new Refusal(errors)
  const named = file.paywalls.map(({ id }) => id)
  const leftAlone = standing.paywalls.filter(({ id, foreign }) => !foreign && !named.includes(id)).map(({ id }) => id)
  return { ownerId: standing.owner_id, keys, endpoints, paywalls, leftAlone }
}

/** One sentence a change. */
export function changesOf({ keys, endpoints, paywalls }: Difference): string[] {
  return [...keys.changes, ...endpoints.changes, ...paywalls.changes]
}
