import { NeonDbError } from '@neondatabase/serverless'

/** What a failed call leaves certain: nothing was done, or that is not known. */
type DatabaseFailure = 'not_done' | 'unknown'

/**
 * SQLSTATE classes and codes with which Postgres says that it gave a call up: it lost a conflict or a deadlock (40), had no
 * room or connection for it (53), waited too long for a lock (55P03), took too long (57014), or was not up (57P03).
 */
const GIVEN_UP = /^(40|53|55P03$|57014$|57P03$)/

/** Those that say that the connection or the server went away: at which moment of the call, nobody knows. */
const GONE = /^(08|57P|58)/

/**
 * How a call failed for want of a database, so that the same request may succeed in a moment; null for any other error,
 * which is our bug. Neon gives no code, or an empty one, where it could not reach Postgres or got no answer.
 */
export function databaseFailure(error: unknown): DatabaseFailure | null {
  if (!(error instanceof NeonDbError)) return null
  if (!error.code) return 'unknown'
  if (GIVEN_UP.test(error.code)) return 'not_done'
  return GONE.test(error.code) ? 'unknown' : null
}
