import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import type { DB } from '../generated/tables.ts'
import { CommandError } from './command.ts'
import { readRelease } from './migrate/release.ts'

/** The database, or a transaction. The types of its tables are generated from schema.sql. */
export type Database = Kysely<DB>

const CONNECT_TIMEOUT_MS = 10_000
/** Postgres allows 65,535 parameters per statement, and our widest row has 13. */
const ROWS_PER_STATEMENT = 1_000
const UNDEFINED_TABLE = '42P01'

/**
 * Connects to the database at `url`, runs `work` and disconnects. Throws a `CommandError` if the database cannot be reached, has no
 * tables, or reports an error.
 */
export async function withDatabase<Result>(url: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const pool = openPool(url)
  try {
    await checkConnection(pool)
    return await work(openKysely(pool))
  } catch (error) {
    throw toCommandError(error)
  } finally {
    await pool.end()
  }
}

/** Runs `work` on a connection of its own. Throws a `CommandError` if the database cannot be reached. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined) // a lost connection fails the current or the next statement, which reports it
  try {
    await client.connect()
  } catch (error) {
    throw unreachable(error)
  }
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Queries through `pool`, which the caller closes. */
export function openKysely(pool: pg.Pool): Database {
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}

/** Lets the transaction call this checkout's database functions, the ones that the Workers call. */
export async function activateRelease(db: Database): Promise<void> {
  const { name } = readRelease()
  const installed = await db.selectFrom('releases').select('name').where('name', '=', name).executeTakeFirst()
  if (!installed) throw new CommandError(["the database lacks this checkout's functions: run `paywall migrate` first"])
  await sql`set local search_path = ${sql.id(name)}, public`.execute(db)
}

/** Calls a database function of this checkout, in a transaction of its own. */
export async function inRelease<Result>(db: Database, call: RawBuilder<unknown>): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    await activateRelease(transaction)
    const { rows } = await sql<{ result: Result }>`select ${call} as result`.execute(transaction)
    return rows[0]!.result
  })
}

/**
 * Splits rows into batches that fit a statement, sorted by key. Locks are therefore taken in the same order everywhere: two commands
 * that write the same rows wait for each other instead of deadlocking.
 */
export function* splitBatches<Row>(rows: Row[], getKey: (row: Row) => string): Generator<Row[]> {
  const sorted = rows.toSorted((one, other) => (getKey(one) < getKey(other) ? -1 : 1))
  for (let start = 0; start < sorted.length; start += ROWS_PER_STATEMENT) {
    yield sorted.slice(start, start + ROWS_PER_STATEMENT)
  }
}

function openPool(url: string): pg.Pool {
  if (!URL.canParse(url)) throw new CommandError(['DATABASE_URL is not a URL'])
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  pool.on('error', () => undefined) // a connection lost while idle fails the next statement, which reports it
  return pool
}

async function checkConnection(pool: pg.Pool): Promise<void> {
  try {
    const client = await pool.connect()
    client.release()
  } catch (error) {
    throw unreachable(error)
  }
}

const unreachable = (error: unknown) =>
  new CommandError([`the database cannot be reached: ${toReason(error)}`], { cause: error })

/** If a host has several addresses and none answers, Node's error has a code but an empty message. */
function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** Converts an error of Postgres to a `CommandError`. Other errors stay as they are. */
function toCommandError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  if (error.code === UNDEFINED_TABLE)
    return new CommandError(['the database has no tables yet: run `paywall migrate` first'])
  return new CommandError([`the database reported an error: ${error.message}`], { cause: error })
}
