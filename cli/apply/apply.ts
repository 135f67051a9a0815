// Makes the database match a paywall file. In one transaction, under a lock on the file's owner:
// 1. read the owner's stored state (stored.ts)
// 2. compare it with the file: team.ts, reporting.ts, keys.ts, webhooks.ts and paywalls.ts
// 3. write the differences with the functions in those files
import { sql } from 'kysely'
import pg from 'pg'
import { CommandError, type SealingKeys } from '../command.ts'
import type { Database } from '../database.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { saveAccounts } from './accounts.ts'
import type { Change } from './changes.ts'
import { countImpacts } from './impact-counts.ts'
import { compareKeys, hashKeys, type KeysDifference, type NewSecret, revokeKeys, saveKeys } from './keys.ts'
import { retireOffers, saveOffers } from './offers.ts'
import { comparePaywalls, type PaywallsDifference, removeDomains, savePaywalls } from './paywalls.ts'
import { retirePrices, savePrices, syncUnmatched } from './prices.ts'
import { compareReporting, type ReportingDifference, saveReporting } from './reporting.ts'
import { readStored } from './stored.ts'
import { compareTeam, removeTeamMembers, saveTeam, type TeamDifference } from './team.ts'
import { removeTurnstile, saveTurnstile } from './turnstile.ts'
import { compareWebhooks, disableWebhooks, saveWebhooks, type WebhooksDifference } from './webhooks.ts'

export interface ApplyPlan {
  /** Empty if the database already matches. */
  changes: Change[]
  /** What to check at the processor. */
  warnings: string[]
  /** Ids of the owner's paywalls that are not in the file. They are left unchanged. */
  otherPaywalls: string[]
}

export interface ApplyResult extends ApplyPlan {
  /** Generated secrets. The database stores them hashed or encrypted, so they cannot be shown again. */
  newSecrets: NewSecret[]
}

/**
 * Errors that a retry resolves. Unique violation, serialization failure, deadlock: another owner's apply was first. Foreign key
 * violation: a paywall whose mode was to change got its first user.
 */
const LOST_RACE_CODES = ['23503', '23505', '40001', '40P01']
const MAX_ATTEMPTS = 3

/** Another owner took the paywall id or the key after they were read. */
class TakenConcurrently extends Error {
  override name = 'TakenConcurrently'
}

/**
 * Makes the database match the file, atomically and idempotently. Safe to run beside checkouts and other applies. `inspect` gets the
 * changes before they are made; if it throws, none is made. Throws a `CommandError` if the file uses what belongs to another owner.
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

/** Returns what `applyFile` would change, and writes nothing. Throws as `applyFile` does. */
export async function planFile(db: Database, file: PaywallFile, sealing: SealingKeys): Promise<ApplyPlan> {
  const { changes, warnings, otherPaywalls } = await compare(db, file, sealing)
  return { changes, warnings, otherPaywalls }
}

async function applyOnce(
  db: Database,
  file: PaywallFile,
  sealing: SealingKeys,
  inspect?: (changes: Change[]) => void,
): Promise<ApplyResult> {
  await lockOwner(db, file.owner.email)
  const { changes, warnings, otherPaywalls, ...difference } = await compare(db, file, sealing)
  inspect?.(changes)
  if (changes.length > 0) await write(db, file.owner.email, difference)
  const newSecrets = [...difference.keys.newSecrets, ...difference.webhooks.newSecrets]
  return { changes, warnings, otherPaywalls, newSecrets }
}

/**
 * Serializes applies and rekeys of an owner, and rotations of its webhook secrets, until this transaction ends. An advisory lock, because
 * the owner may have no row yet.
 */
export async function lockOwner(db: Database, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`paywall apply ${email}`}::text, 0))`.execute(db)
}

interface Difference {
  /** Null for a new owner. */
  ownerId: string | null
  team: TeamDifference
  reporting: ReportingDifference
  keys: KeysDifference
  webhooks: WebhooksDifference
  paywalls: PaywallsDifference
}

async function compare(db: Database, file: PaywallFile, sealing: SealingKeys): Promise<Difference & ApplyPlan> {
  const keyHashes = await hashKeys(file)
  const stored = await readStored(db, file, keyHashes)
  const team = compareTeam(file, stored)
  const reporting = compareReporting(file, stored)
  const keys = await compareKeys(file, keyHashes, stored)
  const webhooks = await compareWebhooks(file, stored, sealing.webhookSecretsKey)
  const paywalls = await comparePaywalls(file, stored, sealing)

  const errors = [...keys.errors, ...paywalls.errors]
  if (errors.length > 0) throw new CommandError(errors)
  const all = [...team.changes, ...reporting.changes, ...keys.changes, ...webhooks.changes, ...paywalls.changes]
  const changes = await countImpacts(db, stored.owner_id, all)
  const ids = file.paywalls.map(({ id }) => id)
  const otherPaywalls = stored.paywalls.filter(({ id, foreign }) => !foreign && !ids.includes(id)).map(({ id }) => id)
  return {
    ownerId: stored.owner_id,
    team,
    reporting,
    keys,
    webhooks,
    paywalls,
    changes,
    warnings: paywalls.warnings,
    otherPaywalls,
  }
}

/**
 * Removes before it adds, because a new row may reuse what must be unique: the name of a revoked key, the slug of a retired price, or the
 * code of a retired offer.
 */
async function write(
  db: Database,
  email: string,
  { team, reporting, keys, webhooks, paywalls, ...difference }: Difference,
) {
  const ownerId = difference.ownerId ?? (await saveOwner(db, email))
  await removeTeamMembers(db, ownerId, team.toRemove)
  await saveTeam(db, ownerId, team.toSave)
  await saveReporting(db, ownerId, reporting.toSave)
  await revokeKeys(db, keys.toRevoke)
  if ((await saveKeys(db, ownerId, keys.toSave)) < keys.toSave.length) throw new TakenConcurrently()
  await disableWebhooks(db, ownerId, webhooks.toDisable)
  await saveWebhooks(db, ownerId, webhooks.toSave)
  await removeDomains(db, paywalls.domainsToRemove)
  if ((await savePaywalls(db, ownerId, paywalls.toSave)) < paywalls.toSave.length) throw new TakenConcurrently()
  await saveAccounts(db, paywalls.accountsToSave)
  await saveTurnstile(db, ownerId, paywalls.turnstileToSave)
  await removeTurnstile(db, ownerId, paywalls.turnstileToRemove)
  await retirePrices(db, paywalls.pricesToRetire)
  await savePrices(db, paywalls.pricesToSave)
  await retireOffers(db, ownerId, paywalls.offersToRetire)
  await saveOffers(db, ownerId, paywalls.offersToSave)
  await syncUnmatched(db, ownerId)
}

/** Adds the owner if it does not exist, and returns its id. */
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
  if (error instanceof TakenConcurrently) return true
  return error instanceof pg.DatabaseError && error.code !== undefined && LOST_RACE_CODES.includes(error.code)
}
