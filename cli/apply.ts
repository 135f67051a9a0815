import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { changesOf, type Difference, findDifference, type SealingKeys } from './difference/difference.ts'
import type { MadeSecret } from './difference/made-secret.ts'
import type { Executor } from './executor.ts'
import type { PaywallFile } from './paywall-file/file.ts'
import { disableEndpoints } from './sql/disable-endpoints.sql.ts'
import { freeDomains } from './sql/free-domains.sql.ts'
import { lockOwner } from './sql/lock-owner.sql.ts'
import { retirePrices } from './sql/retire-prices.sql.ts'
import { revokeKeys } from './sql/revoke-keys.sql.ts'
import { saveEndpoints } from './sql/save-endpoints.sql.ts'
import { saveKeys } from './sql/save-keys.sql.ts'
import { saveOwner } from './sql/save-owner.sql.ts'
import { savePaywalls } from './sql/save-paywalls.sql.ts'
import { savePrices } from './sql/save-prices.sql.ts'
import { saveProcessorAccounts } from './sql/save-processor-accounts.sql.ts'

export interface Applied {
  /** One sentence a change; none if the database said all of it already. */
  changes: string[]
  /** Secrets that the file leaves to us. They are kept hashed or sealed: nobody can show them again. */
  made: MadeSecret[]
  /** Ids of the owner's paywalls that the file does not name; they stay as they are. */
  leftAlone: string[]
}

/** Unique violation, serialization failure, deadlock: another owner's apply came first; then we look again. */
const RACED = ['23505', '40001', '40P01']
const MAX_ATTEMPTS = 3

/**
 * Makes the database say what the file says, all of it or nothing. Repeating it changes nothing, and it may run beside
 * checkouts and other applies. Throws a `Refusal` where the file takes what is another owner's.
 */
export async function applyFile(pool: pg.Pool, file: PaywallFile, sealing: SealingKeys): Promise<Applied> {
  const db: Executor = new Kysely({ dialect: new PostgresDialect({ pool }) })
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute((transaction) => applyOnce(transaction, file, sealing))
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !wasRaced(error)) throw error
    }
  }
}

/** What `applyFile` would change; secrets that it would make are not made. */
export async function planFile(pool: pg.Pool, file: PaywallFile, sealing: SealingKeys): Promise<Omit<Applied, 'made'>> {
  const db: Executor = new Kysely({ dialect: new PostgresDialect({ pool }) })
  const difference = await findDifference(db, file, sealing)
  return { changes: changesOf(difference), leftAlone: difference.leftAlone }
}

async function applyOnce(db: Executor, file: PaywallFile, sealing: SealingKeys): Promise<Applied> {
  await lockOwner(db, file.owner.email)
  const difference = await findDifference(db, file, sealing)
  const changes = changesOf(difference)
  if (changes.length > 0) await write(db, difference, difference.ownerId ?? (await saveOwner(db, file.owner.email)))
  const { keys, endpoints, leftAlone } = difference
  return { changes, made: [...keys.made, ...endpoints.made], leftAlone }
}

/** What goes makes room first: names, domains and slugs are unique among what is valid. */
async function write(db: Executor, { keys, endpoints, paywalls }: Difference, ownerId: string): Promise<void> {
  if (keys.revoked.length > 0) await revokeKeys(db, keys.revoked)
  if (keys.saved.length > 0) noneTaken(keys.saved, await saveKeys(db, ownerId, keys.saved))
  if (endpoints.disabled.length > 0) await disableEndpoints(db, ownerId, endpoints.disabled)
  if (endpoints.saved.length > 0) await saveEndpoints(db, ownerId, endpoints.saved)
  if (paywalls.freed.length > 0) await freeDomains(db, paywalls.freed)
  if (paywalls.saved.length > 0) noneTaken(paywalls.saved, await savePaywalls(db, ownerId, paywalls.saved))
  if (paywalls.accounts.length > 0) await saveProcessorAccounts(db, paywalls.accounts)
  if (paywalls.retired.length > 0) await retirePrices(db, paywalls.retired)
  if (paywalls.prices.length > 0) await savePrices(db, paywalls.prices)
}

/** Another owner took a paywall id or a key after we had looked. */
class Taken extends Error {
  override name = 'Taken'
}

function noneTaken(meant: unknown[], saved: number): void {
  if (saved < meant.length) throw new Taken()
}

function wasRaced(error: unknown): boolean {
  if (error instanceof Taken) return true
  return error instanceof pg.DatabaseError && error.code !== undefined && RACED.includes(error.code)
}
