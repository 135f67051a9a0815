import pg from 'pg'
import { CommandError } from '../command.ts'

/** The lock timeout of a table. While a statement waits for a table, every Worker queues behind it. */
export const WAIT_FOR_A_TABLE = '5s'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

export interface Step {
  /** A description for the operator. */
  what: string
  run: () => Promise<void>
}

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

/** Runs the step. Throws a `CommandError` that names it if it fails. */
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
    return 'it deadlocked with other work on the same tables and was rolled back: try again'
  }
  return error.message
}

/** Whether a statement ran into the lock timeout. */
export const isLocked = (error: unknown) => error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
