import type pg from 'pg'
import type { Database } from '../../lib/db/connect.ts'

interface Explained {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }]
}

/**
 * How many pages of tables and indexes a call of a database function reads, those of its parts included: what it costs, without
 * a clock. What it does is undone. It is called twice and the second time counts, since a session's first call also reads the
 * catalog.
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
    return undefined as never // what the call gives is not in its plan
  }
  await client.query('begin')
  await call({ call: explain })
  await client.query('rollback')
  return pages
}
