import type pg from 'pg'

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
