import pg from 'pg'
import { Refusal } from './refusal.ts'

const CONNECT_TIMEOUT_MS = 10_000
const UNDEFINED_TABLE = '42P01'

/** Runs `work` on the database of `url`, and says in one sentence if it cannot be reached. */
export async function withDatabase<Result>(url: string, work: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
  const pool = openPool(url)
  try {
    await reach(pool)
    return await work(pool)
  } catch (error) {
    throw explained(error)
  } finally {
    await pool.end()
  }
}

function openPool(url: string): pg.Pool {
  if (!URL.canParse(url)) throw new Refusal(['DATABASE_URL is not a URL'])
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  pool.on('error', () => undefined) // a connection lost while idle fails the next statement, which says so
  return pool
}

async function reach(pool: pg.Pool): Promise<void> {
  try {
    const client = await pool.connect()
    client.release()
  } catch (error) {
    throw new Refusal([`the database cannot be reached: ${reasonOf(error)}`], { cause: error })
  }
}

/** Node joins the failures of several addresses in an error that has a code but no message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function explained(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  if (error.code === UNDEFINED_TABLE) return new Refusal(['the database has no tables yet: apply schema.sql first'])
  return new Refusal([`the database refused: ${error.message}`], { cause: error })
}
