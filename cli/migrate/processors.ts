import type pg from 'pg'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { OWNER_ROLE } from './roles.ts'
import { inTransaction, type Step } from './step.ts'

/** What adds the processors that this tree knows and the database does not. None is ever removed: purchases name them. */
export async function processorSteps(client: pg.Client): Promise<Step[]> {
  const missing = await missingProcessors(client)
  if (missing.length === 0) return []
  const run = () =>
    inTransaction(client, async () => {
      await client.query(`set local role ${OWNER_ROLE}`)
      await client.query('insert into processors select unnest($1::text[]) on conflict do nothing', [missing])
    })
  return [{ what: `add the processors ${missing.join(', ')}`, run }]
}

/** In a database without the table, which a step before this one makes, all of them. */
async function missingProcessors(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('public.processors') as list")
  if (tables[0].list === null) return [...ACQUIRING]
  const { rows } = await client.query<{ acquiring: string }>('select acquiring from processors')
  return ACQUIRING.filter((name) => !rows.some(({ acquiring }) => acquiring === name))
}
