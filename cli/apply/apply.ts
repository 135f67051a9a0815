// Makes the database say what a paywall file says. In one transaction, under a lock of the file's owner:
// 1. read what the database holds of this owner (stored.ts)
// 2. compare it with the file: its keys, its webhooks and its paywalls, each in a file of its name
// 3. write what differs, with the functions of the same files
import { sql } from 'kysely'
import pg from 'pg'
import { CommandError, type SealingKeys } from '../command.ts'
import type { Database } from '../database.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { saveAccounts } from './accounts.ts'
import type { Change } from './changes.ts'
import { compareKeys, hashKeys, type KeysDifference, type NewSecret, revokeKeys, saveKeys } from './keys.ts'
import { countLosses } from './loss-counts.ts'
import { comparePaywalls, type PaywallsDifference, removeDomains, savePaywalls } from './paywalls.ts'
import { retirePrices, savePrices, syncUnnamed } from './prices.ts'
import { readStored } from './stored.ts'
import { removeTurnstile, saveTurnstile } from './turnstile.ts'
import { compareWebhooks, disableWebhooks, saveWebhooks, type WebhooksDifference } from './webhooks.ts'

export interface ApplyPlan {
  /** None if the database says all of it already. */
  changes: Change[]
  /** Ids of the owner's paywalls that the file does not name; they stay as they are. */
  otherPaywalls: string[]
}

export interface ApplyResult extends ApplyPlan {
  /** The secrets that the file left to us. The database has them hashed or sealed: nobody can be shown them again. */
  newSecrets: NewSecret[]
}

/**
 * Unique violation, serialization failure, deadlock: another owner's apply was first. Foreign key violation: the first user came to a
 * paywall whose mode was to change. The next attempt sees it.
 */
const LOST_RACE_CODES = ['23503', '23505', '40001', '40P01']
const MAX_ATTEMPTS = 3

/** An insert did not touch a row, because another owner had taken its paywall id or its key since we read them. */
class TakenMeanwhile extends Error {
  override name = 'TakenMeanwhile'
}

/**
 * Makes the database say what the file says, all of it or nothing. Repeating it changes nothing, and it may run beside
 * checkouts and other applies. `inspect` gets the changes before they are made; if it throws, none is. Throws a `CommandError`
 * where the file takes what is another owner's.
 */
export async function applyFile(
  db: Database,
  file: PaywallFile,
  sealing: SealingKeys,
  inspect?: (changes: Change[]) => void,
): Promise<ApplyResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute((transaction) => applyOnce(transaction, file, sealing, inspect))
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !hasLostRace(error)) throw error
    }
  }
}

/** What `applyFile` would change. Writes nothing. Throws as `applyFile` does. */
export async function planFile(db: Database, file: PaywallFile, sealing: SealingKeys): Promise<ApplyPlan> {
  const { changes, otherPaywalls } = await compare(db, file, sealing)
  return { changes, otherPaywalls }
}

async function applyOnce(
  db: Database,
  file: PaywallFile,
  sealing: SealingKeys,
  inspect?: (changes: Change[]) => void,
): Promise<ApplyResult> {
  await lockOwner(db, file.owner.email)
  const { changes, otherPaywalls, ...difference } = await compare(db, file, sealing)
  inspect?.(changes)
  if (changes.length > 0) await write(db, file.owner.email, difference)
  return { changes, otherPaywalls, newSecrets: [...difference.keys.newSecrets, ...difference.webhooks.newSecrets] }
}

/**
 * Makes other applies of the same owner, and a rekey, wait until this transaction ends, also while the owner has no row yet.
 */
export async function lockOwner(db: Database, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`paywall apply ${email}`}::text, 0))`.execute(db)
}

interface Difference {
  /** Null: the owner is new. */
  ownerId: string | null
  keys: KeysDifference
  webhooks: WebhooksDifference
  paywalls: PaywallsDifference
}

async function compare(db: Database, file: PaywallFile, sealing: SealingKeys): Promise<Difference & ApplyPlan> {
  const keyHashes = await hashKeys(file)
  const stored = await readStored(db, file, keyHashes)
  const keys = await compareKeys(file, keyHashes, stored)
  const webhooks = await compareWebhooks(file, stored, sealing.webhookSecretsKey)
  const paywalls = await comparePaywalls(file, stored, sealing)

  const errors = [...keys.errors, ...paywalls.errors]
  if (errors.length > 0) throw new CommandError(errors)
  const all = [...keys.changes, ...webhooks.changes, ...paywalls.changes]
  const changes = await countLosses(db, stored.owner_id, all)
  const ids = file.paywalls.map(({ id }) => id)
  const otherPaywalls = stored.paywalls.filter(({ id, foreign }) => !foreign && !ids.includes(id)).map(({ id }) => id)
  return { ownerId: stored.owner_id, keys, webhooks, paywalls, changes, otherPaywalls }
}

/** What ends is written before what begins: a new key may have the name of one that is revoked, a price its slug. */
async function write(db: Database, email: string, { keys, webhooks, paywalls, ...difference }: Difference) {
  const ownerId = difference.ownerId ?? (await saveOwner(db, email))
  await revokeKeys(db, keys.toRevoke)
  if ((await saveKeys(db, ownerId, keys.toSave)) < keys.toSave.length) throw new TakenMeanwhile()
  await disableWebhooks(db, ownerId, webhooks.toDisable)
  await saveWebhooks(db, ownerId, webhooks.toSave)
  await removeDomains(db, paywalls.domainsToRemove)
  if ((await savePaywalls(db, ownerId, paywalls.toSave)) < paywalls.toSave.length) throw new TakenMeanwhile()
  await saveAccounts(db, paywalls.accountsToSave)
  await saveTurnstile(db, ownerId, paywalls.turnstileToSave)
  await removeTurnstile(db, ownerId, paywalls.turnstileToRemove)
  await retirePrices(db, paywalls.pricesToRetire)
  await savePrices(db, paywalls.pricesToSave)
  await syncUnnamed(db, ownerId)
}

/** Adds the owner of an e-mail address if there is none yet: the owner's id. */
async function saveOwner(db: Database, email: string): Promise<string> {
  const { id } = await db
    .insertInto('owners')
    .values({ email })
    .onConflict((conflict) => conflict.column('email').doUpdateSet({ email }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

function hasLostRace(error: unknown): boolean {
  if (error instanceof TakenMeanwhile) return true
  return error instanceof pg.DatabaseError && error.code !== undefined && LOST_RACE_CODES.includes(error.code)
}
