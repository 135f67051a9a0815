import { sql } from 'kysely'

/** The changes that have a name of their own. */
const named = sql`array_remove(array[
  case when after.status = 'canceled' and before.status <> 'canceled' then 'subscription.ended' end,
  case when after.status = 'past_due' and before.status <> 'past_due' then 'subscription.past_due' end,
  case when after.paid_period_start > before.paid_period_start then 'subscription.renewed' end,
  case when after.status <> 'canceled' and after.cancel_at_period_end and not before.cancel_at_period_end
    then 'subscription.cancel_scheduled' end,
  case when after.status <> 'canceled' and before.cancel_at_period_end and not after.cancel_at_period_end
    then 'subscription.uncanceled' end
], null)`

/**
 * Which events a change of a purchase emits, as a text array, from the rows `before` (all null if there was none) and
 * `after`. A change with a name of its own is told by that name; any other that can be seen, as `updated`.
 * A period counts as renewed when it is paid: it may have rolled over before. What never began is not told of.
 * A one-time purchase has no life of its own: its checkout and its payments tell of it.
 */
export const transitions = sql`(
  case
    when after.interval is null or not after.begun then '{}'
    when before.id is null or not before.begun then array['subscription.created']
    when ${named} <> '{}' then ${named}
    when purchase_json(after) <> purchase_json(before) then array['subscription.updated']
    else '{}'
  end
)`
