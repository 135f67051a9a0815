import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Processors } from '../../generated/tables.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { OWNER_ROLE } from './roles.ts'
import { inTransaction, type Step } from './step.ts'

/** What the database functions must know of each processor: its row. */
const ROWS: Processors[] = PROCESSOR_NAMES.map((acquiring) => {
  const { sendsDisputeWebhook, supportsUncancel, pagesSellOnce } = DEFINITIONS[acquiring].capabilities
  return {
    acquiring,
    sends_dispute_webhook: sendsDisputeWebhook,
    supports_uncancel: supportsUncancel,
    pages_sell_once: pagesSellOnce,
  }
})

const STORE = `
  insert into processors select * from jsonb_populate_recordset(null::processors, $1::jsonb)
  on conflict (acquiring) do update set
    sends_dispute_webhook = excluded.sends_dispute_webhook, supports_uncancel = excluded.supports_uncancel,
    pages_sell_once = excluded.pages_sell_once`

/** What brings the database's processors to those that this tree knows. None is ever removed: purchases name them. */
export async function processorSteps(client: pg.Client): Promise<Step[]> {
  const rows = await differentRows(client)
  if (rows.length === 0) return []
  const run = () =>
    inTransaction(client, async () => {
      await client.query(`set local role ${OWNER_ROLE}`)
      await client.query(STORE, [JSON.stringify(rows)])
    })
  return [{ what: `store what the processors ${rows.map(({ acquiring }) => acquiring).join(', ')} can do`, run }]
}

/** In a database without the table, which a step before this one makes, all of them. */
async function differentRows(client: pg.Client): Promise<Processors[]> {
  const { rows: tables } = await client.query("select to_regclass('public.processors') as list")
  if (tables[0].list === null) return ROWS
  const { rows: stored } = await client.query<Processors>('table processors')
  return ROWS.filter((row) => !stored.some((each) => isDeepStrictEqual({ ...each }, row)))
}
