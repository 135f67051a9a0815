import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

export interface ProcessorAccountRow {
  paywall_id: string
  acquiring: string
  /** Sealed. */
  credentials: string
}

/** Adds accounts or changes their credentials. Accounts at other processors stay: purchases made there live on. */
export async function saveProcessorAccounts(db: Executor, accounts: ProcessorAccountRow[]): Promise<void> {
  await sql`
    insert into processor_accounts (paywall_id, acquiring, credentials)
    select paywall_id, acquiring, credentials
    from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb)
      as saved (paywall_id text, acquiring text, credentials text)
    order by paywall_id
    on conflict (paywall_id, acquiring) do update set credentials = excluded.credentials`.execute(db)
}
