// Migrates a database to this checkout. In order, each step in a transaction of its own:
// 1. Wait until no other migration is running on the database, and plan the steps.
// 2. Create the roles: the owner role, and one for each Worker with a login for this key.
// 3. Create the tables of schema.sql in an empty database, or run the missing migrations. Insert or update the processors.
// 4. Install the release's functions, grant each Worker its own, and remove releases that are two behind.
// 5. After a deploy with secrets, remove the logins for other keys.
// After an interruption, a repeat resumes with the first step that is not done.
import type pg from 'pg'
import { CommandError } from '../command.ts'
import { processorSteps } from './processors.ts'
import { type Release, readCalledRelease, releaseSteps, removalSteps } from './release.ts'
import { oldLoginSteps, roleSteps } from './roles.ts'
import { isLocked, runStep, type Step, WAIT_FOR_A_TABLE } from './step.ts'
import { readTables, type Tables, tableSteps } from './tables.ts'

/** An advisory lock: two migrations at once would create the same roles and tables. The number is arbitrary. */
const MIGRATION_LOCK = 7_214_903_551

const WAIT_FOR_OTHERS = '60s'

/** A long statement is cancelled and rolled back within a second of Ctrl-C or a lost connection. */
const SETTINGS = `set search_path = public; set statement_timeout = 0; set client_min_messages = 'warning';
  set client_connection_check_interval = '1s'`

export interface MigrateOptions {
  /** 32 bytes in base64url, from which the roles' passwords are derived. */
  rolesKey: string
  /** The functions to install. Default: this checkout's, which must be the ones that its Workers call. */
  release?: Release
  /** The tables to create. Default: this checkout's. */
  tables?: Tables
  /** Only reports the steps. */
  planOnly?: boolean
  /** Removes no release: before the Workers are deployed, those of an older release may still be running. */
  keepReleases?: boolean
  /** Removes the logins for other keys: use it once all Workers have the logins for this one. */
  removeOldLogins?: boolean
  /** Called after each step, or for each planned step. */
  onStep?: (what: string) => void
}

/**
 * Runs the steps above; idempotent. `client` is connected as the database's owner, directly and not through a pooler that may run each
 * transaction on another connection, and holds the lock until it is closed. Throws a `CommandError` if the database has migrations that
 * this checkout lacks, or another migration is running.
 */
export async function migrate(client: pg.Client, options: MigrateOptions): Promise<void> {
  const { rolesKey, release = readCalledRelease(), planOnly = false, keepReleases = false, onStep } = options
  const { tables = readTables(), removeOldLogins = false } = options
  await client.query(SETTINGS)
  if (!planOnly) await waitForOthers(client)
  const steps: Step[] = [
    ...(await roleSteps(client, release.roles, rolesKey)),
    ...(await tableSteps(client, tables)),
    ...(await processorSteps(client)),
    ...(await releaseSteps(client, release)),
    ...(keepReleases ? [] : await removalSteps(client, release)),
    ...(removeOldLogins ? await oldLoginSteps(client, release.roles, rolesKey) : []),
  ]
  for (const step of steps) {
    if (!planOnly) await runStep(step)
    onStep?.(step.what)
  }
}

async function waitForOthers(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '${WAIT_FOR_OTHERS}'`)
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new CommandError(['another migration is running on this database: try again when it has finished'], {
      cause: error,
    })
  }
  await client.query(`set lock_timeout = '${WAIT_FOR_A_TABLE}'`)
}
