import { NeonDbError } from '@neondatabase/serverless'

/** What is known after a failed call: nothing was done, or it is unknown whether it was. */
type DatabaseFailure = 'not_done' | 'unknown'

/**
 * SQLSTATE classes and codes for a call that Postgres gave up: a conflict or a deadlock (40), insufficient resources or connections (53), a
 * lock timeout (55P03), a statement timeout (57014), or the server is starting (57P03).
 */
const GIVEN_UP = /^(40|53|55P03$|57014$|57P03$)/

/** Connection and server failures, which may happen at any moment of the call. */
const GONE = /^(08|57P|58)/

/**
 * Classifies a failure of the database, after which the same request may succeed in a moment; null for any other error, which is our bug.
 * Neon returns no code, or an empty one, if it could not reach Postgres or got no response.
 */
export function databaseFailure(error: unknown): DatabaseFailure | null {
  if (!(error instanceof NeonDbError)) return null
  if (!error.code) return 'unknown'
  if (GIVEN_UP.test(error.code)) return 'not_done'
  return GONE.test(error.code) ? 'unknown' : null
}
