import type pg from 'pg'
import type { Database } from '../../lib/db/connect.ts'

interface Explained {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }]
}

/**
 * Counts the pages of tables and indexes that a call of a database function reads, including those of the functions that it calls: its
 * cost, measured without a clock. The call is rolled back. It is made twice and the second one counts, since the first call on a connection
 * also reads the catalog.
 */
export async function pageReads(client: pg.Client, call: (db: Database) => Promise<unknown>): Promise<number> {
  await explained(client, call)
  return explained(client, call)
}

async function explained(client: pg.Client, call: (db: Database) => Promise<unknown>): Promise<number> {
  let pages = 0
  const explain: Database['call'] = async (statement, parameters) => {
    const { rows } = await client.query<Explained>(`explain (analyze, buffers, format json) ${statement}`, parameters)
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    return undefined as never // the plan does not contain the result of the call
  }
  await client.query('begin')
  await call({ call: explain })
  await client.query('rollback')
  return pages
}
