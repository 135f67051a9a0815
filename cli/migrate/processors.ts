import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Processors } from '../../generated/tables.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { OWNER_ROLE } from './roles.ts'
import { inTransaction, type Step } from './step.ts'

/** The rows of the table `processors`: the capabilities that database functions depend on. */
const ROWS: Processors[] = PROCESSOR_NAMES.map((acquiring) => {
  const { sendsDisputeWebhook, supportsUncancel, pagesSellOnce } = DEFINITIONS[acquiring].capabilities
  return {
    acquiring,
    sends_dispute_webhook: sendsDisputeWebhook,
    supports_uncancel: supportsUncancel,
    pages_sell_once: pagesSellOnce,
  }
})

const UPSERT = `
  insert into processors select * from jsonb_populate_recordset(null::processors, $1::jsonb)
  on conflict (acquiring) do update set
    sends_dispute_webhook = excluded.sends_dispute_webhook, supports_uncancel = excluded.supports_uncancel,
    pages_sell_once = excluded.pages_sell_once`

/** Plans the update of the table `processors` to this checkout's definitions. None is ever removed: purchases refer to them. */
export async function processorSteps(client: pg.Client): Promise<Step[]> {
  const rows = await changedRows(client)
  if (rows.length === 0) return []
  const run = () =>
    inTransaction(client, async () => {
      await client.query(`set local role ${OWNER_ROLE}`)
      await client.query(UPSERT, [JSON.stringify(rows)])
    })
  return [
    { what: `store the capabilities of the processors ${rows.map(({ acquiring }) => acquiring).join(', ')}`, run },
  ]
}

/** All rows if the table does not exist yet: an earlier step creates it. */
async function changedRows(client: pg.Client): Promise<Processors[]> {
  const { rows: tables } = await client.query("select to_regclass('public.processors') as oid")
  if (tables[0].oid === null) return ROWS
  const { rows: stored } = await client.query<Processors>('table processors')
  return ROWS.filter((row) => !stored.some((each) => isDeepStrictEqual({ ...each }, row)))
}
