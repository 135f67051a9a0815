import { sql } from 'kysely'
import type { Executor } from '../executor.ts'
import type { FilePrice } from '../paywall-file/file.ts'

export interface PriceRow extends FilePrice {
  position: number
}

/** Puts prices on sale. Of one that is known only what the id does not cover can change. */
export async function savePrices(db: Executor, prices: PriceRow[]): Promise<void> {
  await sql`
    insert into prices (
      id, paywall_id, slug, label, currency, amount, interval, interval_count, trial_days, processor_price,
      locals, tokens, position
    )
    select
      id, paywall_id, slug, label, currency, amount, interval, interval_count, trial_days, processor_price,
      locals, tokens, position
    from jsonb_to_recordset(${JSON.stringify(prices)}::jsonb) as saved (
      id text, paywall_id text, slug text, label text, currency text, amount bigint, interval text,
      interval_count integer, trial_days integer, processor_price text, locals jsonb, tokens jsonb, position integer
    )
    order by id
    on conflict (id) do update set
      label = excluded.label, tokens = excluded.tokens, position = excluded.position, retired_at = null`.execute(db)
}
