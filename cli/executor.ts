import type { Kysely } from 'kysely'

/** The database, or a transaction on it. The statements of this folder name their columns themselves. */
export type Executor = Kysely<unknown>
