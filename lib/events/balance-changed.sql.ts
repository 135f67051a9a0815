import { sql } from 'kysely'

/**
 * What is told of the ledger rows in `entered`, for the CTE `happened`: nothing unless an endpoint of the owner asks for
 * `balance.changed`, since then nobody wants the event and each change of a balance would write one more row.
 */
export const balanceEvents = sql`
  select e.paywall_id, e.user_id, 40 + row_number() over (order by e.id) as position, 'balance.changed' as type,
    jsonb_build_object('type', e.type, 'count', e.count_after, 'delta', e.delta, 'reason', e.reason) as object,
    null::jsonb as previous
  from entered e join paywalls p on p.id = e.paywall_id
  where exists (
    select from webhook_endpoints w
    where w.owner_id = p.owner_id and w.disabled_at is null and 'balance.changed' = any (w.events)
  )`
