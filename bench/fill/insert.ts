import pg from 'pg'

/** The values of columns, as SQL expressions over `n`, the row's number. */
export type Columns = Record<string, string>

export interface Rows {
  /** The numbers of the first and the last row. */
  from: number
  to: number
}

/**
 * Fills tables directly, bypassing functions, foreign keys and triggers: a million rows take seconds. The columns of a table differ
 * between commits, so missing and generated ones are skipped.
 */
export class Filler implements AsyncDisposable {
  #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(databaseUrl: string): Promise<Filler> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query('set session_replication_role = replica')
    return new Filler(client)
  }

  async insert(table: string, { from, to }: Rows, columns: Columns): Promise<void> {
    if (to < from) return
    const known = await this.#insertable(table)
    const filled = Object.entries(columns).filter(([name]) => known.has(name))
    const names = filled.map(([name]) => `"${name}"`)
    const values = filled.map(([, expression]) => expression)
    await this.#client.query(
      `insert into ${table} (${names}) select ${values} from generate_series(${from}::bigint, ${to}::bigint) n`,
    )
  }

  /** Runs any other statement and returns its rows. */
  async run(statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#client.query(statement, values)).rows
  }

  /** Updates the statistics, as a database that has grown over time has them. */
  async vacuum(): Promise<void> {
    await this.#client.query('vacuum analyze')
  }

  async #insertable(table: string): Promise<Set<string>> {
    const { rows } = await this.#client.query<{ column_name: string }>(
      `select column_name from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
      [table],
    )
    if (rows.length === 0) throw new Error(`there is no table ${table} to fill`)
    return new Set(rows.map(({ column_name }) => column_name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

/** The owner of a paywall, and its mode. */
export const ownedWith = (paywallId: string) => ({
  owner_id: `(select owner_id from paywalls where id = '${paywallId}')`,
  is_test: `(select is_test from paywalls where id = '${paywallId}')`,
})
