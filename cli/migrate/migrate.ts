// Brings a database to what this tree needs. In order, each step in a transaction of its own:
// 1. It waits until no other migration is at work on the database, and looks what there is to do.
// 2. It makes the roles: the one that owns everything, and one for each Worker with a login for this key.
// 3. It makes the tables of schema.sql in an empty database, or runs the migrations that are missing, and stores the processors
//    that the database lacks, or has otherwise.
// 4. It installs the release's functions, grants each Worker its own, and removes the releases that are two behind.
// 5. After a deploy with secrets, it removes the logins for other keys.
// Whatever interrupts it, a repeat goes on behind the last step that was done.
import type pg from 'pg'
import { CommandError } from '../command.ts'
import { processorSteps } from './processors.ts'
import { type Release, readCalledRelease, releaseSteps, removalSteps } from './release.ts'
import { oldLoginSteps, roleSteps } from './roles.ts'
import { isLocked, runStep, type Step, WAIT_FOR_A_TABLE } from './step.ts'
import { readTables, type Tables, tableSteps } from './tables.ts'

/** Two of these at once would make the same roles and tables. The number says nothing. */
const MIGRATION_LOCK = 7_214_903_551

const WAIT_FOR_OTHERS = '60s'

/** A statement that takes long ends, and is undone, within a second of Ctrl-C or a lost connection. */
const SETTINGS = `set search_path = public; set statement_timeout = 0; set client_min_messages = 'warning';
  set client_connection_check_interval = '1s'`

export interface MigrateOptions {
  /** 32 bytes in base64url: the roles' passwords follow from it. */
  rolesKey: string
  /** The functions to install; left out: those of this tree, which must be those that its Workers call. */
  release?: Release
  /** The tables to make; left out: those of this tree. */
  tables?: Tables
  /** Only says what there is to do. */
  planOnly?: boolean
  /** Removes no release: for whoever has yet to deploy the Workers, and those of an older release may still be running. */
  keepReleases?: boolean
  /** Removes the logins for other keys: for whoever has just given all Workers those for this one. */
  removeOldLogins?: boolean
  /** Told of each step: when it is done, or when it is planned. */
  onStep?: (what: string) => void
}

/**
 * Does the steps above; repeating it does nothing. `client` is connected as the database's owner, directly and not
 * through a pooler that gives each transaction another connection, and keeps the lock until it is closed. Throws a `CommandError`
 * if the database has migrations that this tree does not know, or another migration is at work.
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
    throw new CommandError(['another migration is at work on this database: try again when it is done'], {
      cause: error,
    })
  }
  await client.query(`set lock_timeout = '${WAIT_FOR_A_TABLE}'`)
}
