import pg from 'pg'
import { CommandError } from '../command.ts'

/** A statement that waits for a table longer than this would keep every Worker waiting behind it. */
export const WAIT_FOR_A_TABLE = '5s'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** Something that a migration has to do. */
export interface Step {
  /** What it does, as a person reads it. */
  what: string
  run: () => Promise<void>
}

/** Runs `work` in a transaction: all of it or nothing. */
export async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Does the step. Throws a `CommandError` that names it if it cannot. */
export async function runStep({ what, run }: Step): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new CommandError([`could not ${what}: ${toReason(error)}`], { cause: error })
  }
}

function toReason(error: Error): string {
  if (isLocked(error)) return `a table was in use for more than ${WAIT_FOR_A_TABLE}: try again`
  if (error instanceof pg.DatabaseError && error.code === DEADLOCK) {
    return 'it was in a deadlock with work on the same tables, and nothing of it was done: try again'
  }
  return error.message
}

/** Whether a statement waited for a lock for as long as it may. */
export const isLocked = (error: unknown) => error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
