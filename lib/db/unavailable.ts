import { NeonDbError } from '@neondatabase/serverless'

/** SQLSTATE classes and codes that say "not now": connection, resources, shutdown, and losing a conflict to others. */
const TRANSIENT = /^(08|40|53|57P|58)/

/** Whether a failed statement failed for want of a database, so that the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof NeonDbError)) return error instanceof DOMException && error.name === 'TimeoutError'
  // Neon gives no code, or an empty one, where it could not reach Postgres at all.
  return !error.code || TRANSIENT.test(error.code)
}

/** Whether a statement failed, and so did nothing, because another one was first to write a unique key. */
export function isKeyTaken(error: unknown, constraint: string): boolean {
  return error instanceof NeonDbError && error.code === '23505' && error.constraint === constraint
}
