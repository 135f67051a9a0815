import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRelease } from '../../cli/migrate/release.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { waitsForBank } from '../conformance/drivers/stopping.ts'
import type { Stage } from './stage.ts'

/** A bug in a database function, which violates an invariant. */
export interface Bug {
  name: string
  /** The name of the invariant that detects it. */
  invariant: string
  /** The `.sql` file, the text to replace in it, and the replacement. */
  file: string
  search: string
  replacement: string
  /** Whether the bug can show at a processor. Default: at all. */
  isPossible?(acquiring: ProcessorName): boolean
}

const PAYMENTS = 'lib/purchases/payments.sql'
const SNAPSHOT = 'lib/purchases/apply-snapshot.sql'
const PURCHASE = 'lib/access/purchase.sql'
const EMIT_EVENTS = 'lib/purchases/emit-purchase-events.sql'

const OFFER_USES = 'lib/purchases/offer-uses.sql'

const schedulesPlanChanges = (acquiring: ProcessorName) => DEFINITIONS[acquiring].capabilities.schedulesPlanChange

const changesPlans = (acquiring: ProcessorName) => DEFINITIONS[acquiring].capabilities.changesPlan !== 'never'

const sellsUnits = (acquiring: ProcessorName) => DEFINITIONS[acquiring].capabilities.sellsUnits

/** At least one for each invariant. */
export const BUGS: Bug[] = [
  {
    name: 'access has no end',
    invariant: 'access',
    file: PURCHASE,
    search: 'coalesce(access_until(p) > at, true)',
    replacement: 'true',
  },
  {
    name: 'what has ended still gives access',
    invariant: 'access',
    file: 'lib/member-state/member-state.sql',
    search: 'from bought b where b.has_access union all',
    replacement: 'from bought b union all',
  },
  {
    name: 'the grace of a renewal is a week',
    invariant: 'access_until',
    file: PURCHASE,
    search: "interval '3 days'",
    replacement: "interval '7 days'",
  },
  {
    name: 'a local price is shown as the base price',
    invariant: 'sold as ordered',
    file: PURCHASE,
    search: "'unit_amount', p.unit_amount",
    replacement: "'unit_amount', sold.amount",
  },
  {
    name: 'the slug of another price of the paywall is shown',
    invariant: 'sold as ordered',
    file: PURCHASE,
    search: 'then sold.slug end',
    replacement: 'then (select min(other.slug) from prices other where other.paywall_id = sold.paywall_id) end',
  },
  {
    name: 'a merge leaves purchases behind',
    invariant: 'same purchases',
    file: 'lib/merging/merge-users.sql',
    search: 'update purchases p set user_id = into_id, buyer_email = null',
    replacement: 'update purchases p set buyer_email = null',
  },
  {
    name: 'a page is not polled',
    invariant: 'payments belong',
    file: 'lib/purchases/due-times.sql',
    search:
      "return poll_at_double_age(created_at, coalesce(polled_at, created_at), interval '15 minutes', interval '336 hours');",
    replacement: 'return null;',
  },
  {
    name: 'what was bought on another paywall is shown',
    invariant: 'sold by its paywall',
    file: 'lib/member-state/member-state.sql',
    search: 'from purchases p where p.paywall_id = member_state.paywall_id and p.user_id = member_state.user_id',
    replacement: 'from purchases p where p.user_id = member_state.user_id',
  },
  {
    name: 'the first snapshot stays',
    invariant: 'state',
    file: SNAPSHOT,
    search: 'fetched_at >= before.fetched_at',
    replacement: 'fetched_at < before.fetched_at',
  },
  {
    name: 'a plan that was changed stays what it was',
    invariant: 'sold as ordered',
    file: 'lib/purchases/plan-changes.sql',
    search: 'if price.id is not null then',
    replacement: 'if price.id is not null and false then',
  },
  {
    name: 'a cancellation that was stored is forgotten',
    invariant: 'cancelled',
    file: PURCHASE,
    search: "'cancel_at_period_end', p.cancel_at_period_end",
    replacement: "'cancel_at_period_end', false",
  },
  {
    name: 'one more is paid for each payment',
    invariant: 'amounts',
    file: PAYMENTS,
    search: "(fact ->> 'amount')::bigint,",
    replacement: "(fact ->> 'amount')::bigint + 1,",
  },
  {
    name: 'a payment that went through is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    search: 'if found and is_reported(payment) then',
    replacement: "if found and is_reported(payment) and payment.kind <> 'succeeded' then",
  },
  {
    name: 'a refund is reported as all that was paid',
    invariant: 'money back',
    file: PAYMENTS,
    search: "'amount', payment.amount,",
    replacement: "'amount', coalesce(totals.amount, payment.amount),",
  },
  {
    name: 'nothing is reported to have gone back',
    invariant: 'money back',
    file: PAYMENTS,
    search: "'refunded_amount', totals.refunded,",
    replacement: "'refunded_amount', 0,",
  },
  {
    name: 'what is bought replaces what there was, wanted or not',
    invariant: 'ends for a reason',
    file: 'lib/purchases/replaced-purchases.sql',
    search: 'and (select c.replaces from checkouts c where c.id = p.checkout_id)',
    replacement: 'and true',
  },
  {
    name: 'what is bought once replaces nothing',
    invariant: 'charged once',
    file: 'lib/purchases/replaced-purchases.sql',
    search: 'and (p.interval is not null or p.access)',
    replacement: 'and p.interval is not null',
  },
  {
    name: 'grace begins anew with each read',
    invariant: 'access_until',
    file: SNAPSHOT,
    search: "when 'past_due' then coalesce(before.past_due_since, present)",
    replacement: "when 'past_due' then present",
  },
  {
    name: 'whoever has a subscription may buy another',
    invariant: 'charged once',
    file: PURCHASE,
    search: 'if not price.access then return null; end if;',
    replacement: 'return null;',
  },
  {
    name: 'whoever pauses may buy another',
    invariant: 'charged once',
    file: PURCHASE,
    search: "p.interval is not null and p.status <> 'canceled'",
    replacement: "p.interval is not null and p.status not in ('canceled', 'paused')",
  },
  {
    name: 'what is replaced goes on',
    invariant: 'charged once',
    file: 'lib/purchases/replaced-purchases.sql',
    search: 'older.interval is not null and',
    replacement: 'older.interval is null and',
  },
  {
    name: 'what was sold twice is no duplicate',
    invariant: 'charged once',
    file: EMIT_EVENTS,
    search: 'if checkout.replaces then return null; end if;',
    replacement: 'return null;',
  },
  {
    name: 'a checkout came to what its price search',
    invariant: 'checkout amounts',
    file: 'lib/purchases/store-purchase.sql',
    search: 'checkout.charged := complete_checkout.charged;',
    replacement: 'checkout.charged := checkout.amount;',
  },
  {
    name: 'a refund that fails later is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    search: "if payment.kind not in ('refunded', 'refund_failed') then return true; end if;",
    replacement: "if payment.kind <> 'refund_failed' then return true; else return false; end if;",
  },
  {
    name: 'an event goes to the webhook endpoints of both modes',
    invariant: 'events of its mode',
    file: 'lib/events/emit-event.sql',
    search: 'and e.is_test = (select p.is_test from paywalls p where p.id = paywall_id)',
    replacement: '',
  },
  {
    name: 'an event has the number of the one before',
    invariant: 'sequence',
    file: 'lib/events/emit-event.sql',
    search: 'set event_sequence = m.event_sequence + 1',
    replacement: 'set event_sequence = m.event_sequence + 2',
  },
  {
    name: 'an event shows what was before it',
    invariant: 'last event',
    file: EMIT_EVENTS,
    search: 'object constant jsonb := purchase_json(after, after.fetched_at);',
    replacement:
      'object constant jsonb := purchase_json(case when before.id is null then after else before end, after.fetched_at);',
  },
  {
    name: 'a cancellation is reported as undone',
    invariant: 'event types',
    file: EMIT_EVENTS,
    search: "then 'subscription.cancel_scheduled' end",
    replacement: "then 'subscription.uncanceled' end",
  },
  {
    name: 'a changed plan is not reported',
    invariant: 'event types',
    file: EMIT_EVENTS,
    search: "case when is_other_plan then 'subscription.plan_changed' end,",
    replacement: '',
  },
  {
    name: 'the end of grace is not reported',
    invariant: 'event types',
    file: EMIT_EVENTS,
    search:
      "case when after.access_ended_at is not null and before.access_ended_at is null then 'subscription.access_ended' end,",
    replacement: '',
  },
  {
    name: 'a renewal is not reported',
    invariant: 'renewals reported',
    file: EMIT_EVENTS,
    search: "then 'subscription.renewed' end",
    replacement: "and false then 'subscription.renewed' end",
  },
  {
    name: 'the end of a trial is not reported',
    invariant: 'trial ends reported',
    file: EMIT_EVENTS,
    search: "then '{subscription.trial_ending}' else '{}' end",
    replacement: "then '{}'::text[] else '{}' end",
  },
  {
    name: 'a completed checkout is not reported',
    invariant: 'checkouts reported',
    file: EMIT_EVENTS,
    search: 'if completed.id is not null then types',
    replacement: 'if false then types',
  },
  {
    name: '`previous` is not what was reported before',
    invariant: 'previous',
    file: EMIT_EVENTS,
    search: 'case when before.begun then purchase_json(before, before.fetched_at) end',
    replacement: `case when before.begun then purchase_json(before, before.fetched_at) || '{"status": "pending"}' end`,
  },
  {
    name: 'a balance changes without a row',
    invariant: 'ledger',
    file: 'lib/tokens/balance.sql',
    search: 'returning b.count into count_after;\n  if not found',
    replacement:
      'returning b.count + 1 into count_after;\n  update balances b set count = b.count + 1\n  where (b.paywall_id, b.user_id, b.type) = (move_tokens.paywall_id, move_tokens.user_id, move_tokens.type);\n  if not found',
  },
  {
    name: 'a merge of a user without events is not reported',
    invariant: 'merges reported',
    file: 'lib/merging/merge-users.sql',
    search: 'queued := queued + emit_event(',
    replacement: 'continue when member.event_sequence = 0;\n    queued := queued + emit_event(',
  },
  {
    name: 'a merge takes the tokens of the one',
    invariant: 'tokens changed',
    file: 'lib/merging/merge-users.sql',
    search: 'if credited > 0 then',
    replacement: 'if false then',
  },
  {
    name: 'a period is credited at each read',
    invariant: 'tokens credited',
    file: 'lib/purchases/credited-periods.sql',
    search: "if (last.price_id, last.quantity) = (p.price_id, p.quantity) then return '{}'; end if;",
    replacement: "if last.price_id = p.price_id then return credit_each(p, 'plan', brought); end if;",
  },
  {
    name: 'tokens stay when their money goes back',
    invariant: 'tokens credited',
    file: PAYMENTS,
    search: 'if not keeps_tokens and period.given_back is null and totals.refunded >= totals.amount then',
    replacement: 'if false then',
  },
  {
    name: 'the end of a subscription takes its tokens',
    invariant: 'tokens credited',
    file: 'lib/purchases/credited-periods.sql',
    search: "if after.status not in ('active', 'past_due', 'paused') then return credits; end if;",
    replacement: `if after.status = 'canceled' and before.status <> 'canceled' then return (
      select coalesce(array_agg(move_tokens(b.paywall_id, b.user_id, b.type, -b.count, 'refund')), '{}') from balances b
      where (b.paywall_id, b.user_id, b.type) = (after.paywall_id, after.user_id, 'standard') and b.count > 0); end if;
      if after.status not in ('active', 'past_due', 'paused') then return credits; end if;`,
  },
  {
    name: 'a change of the plan brings the tokens of a period again',
    invariant: 'tokens credited',
    file: 'lib/purchases/credited-periods.sql',
    search: 'm.value::bigint - coalesce((last.credited ->> m.key)::bigint, 0)',
    replacement: 'm.value::bigint',
  },
  {
    name: 'a change of the plan brings no more tokens',
    invariant: 'tokens credited',
    file: 'lib/purchases/credited-periods.sql',
    search: 'where b.value::bigint > coalesce((last.credited ->> b.key)::bigint, 0)',
    replacement: 'where false',
  },
  {
    name: 'the tokens of a refund that fails later stay away',
    invariant: 'tokens credited',
    file: PAYMENTS,
    search: 'elsif period.refunded = payment.payment_id and totals.refunded < totals.amount then',
    replacement: 'elsif false then',
  },
  {
    name: 'a renewal brings no tokens',
    invariant: 'tokens credited',
    file: 'lib/purchases/credited-periods.sql',
    search: 'or starts_at < last.ends_at - longest_early_charge(last.starts_at, last.ends_at);',
    replacement: 'or true;',
  },
  {
    name: 'a renewal that no webhook reports brings no tokens',
    invariant: 'tokens credited',
    file: 'lib/purchases/store-purchase.sql',
    search: 'credits := credit_tokens(before, after, checkout, snapshot)',
    replacement:
      "credits := case when event_id is null and before.begun then '{}' else credit_tokens(before, after, checkout, snapshot) end",
  },
  {
    name: 'the day’s tokens are added to what is left',
    invariant: 'daily tokens',
    file: 'lib/tokens/balance.sql',
    search: "tokens.type, tokens.daily_limit - balance_count, 'top_up'",
    replacement: "tokens.type, tokens.daily_limit, 'top_up'",
  },
  {
    name: 'whoever takes a checkout over opens another page',
    invariant: 'pages',
    file: 'functions/start-checkout/claim.sql',
    search: '  claim.holder := new_holder;',
    replacement: '  claim.attempt := claim.attempt + 1;\n  claim.holder := new_holder;',
  },
  {
    name: 'what is paused or has ended shows no end of its access',
    invariant: 'access_until',
    file: PURCHASE,
    search: 'else p.access_lost_at end);',
    replacement: 'else null end);',
  },
  {
    name: 'access was lost when that became known, whenever it was to end',
    invariant: 'access_until',
    file: SNAPSHOT,
    search: 'coalesce(before.access_lost_at, least(access_until(before), present))',
    replacement: 'coalesce(before.access_lost_at, present)',
  },
  {
    name: 'a lost dispute is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    search: 'if found and is_reported(payment) then',
    replacement: "if found and is_reported(payment) and payment.kind <> 'dispute_lost' then",
  },
  {
    name: 'a failed payment is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    search: 'if found and is_reported(payment) then',
    replacement: "if found and is_reported(payment) and payment.kind <> 'failed' then",
  },
  {
    name: 'a charge for what was replaced is not reported',
    invariant: 'alarms',
    isPossible: waitsForBank,
    file: PAYMENTS,
    search: "return payment.kind = 'succeeded' and coalesce(",
    replacement: 'return false and coalesce(',
  },
  {
    name: 'a charge from before the replacement is reported as unexpected',
    invariant: 'alarms',
    file: PAYMENTS,
    search: 'payment.occurred_at > least(replaced_at(purchase), purchase.ended_by_owner_at)',
    replacement: 'payment.occurred_at < least(replaced_at(purchase), purchase.ended_by_owner_at)',
  },
  {
    name: 'what is to replace a subscription is its duplicate',
    invariant: 'alarms',
    file: EMIT_EVENTS,
    search: 'if checkout.replaces then return null; end if;',
    replacement: '',
  },
  {
    name: 'a stop that fails for days is not reported',
    invariant: 'alarms',
    file: 'lib/purchases/record-stop-failure.sql',
    search: "interval := '24 hours'",
    replacement: "interval := '240 hours'",
  },
  {
    name: 'a stop that fails once is reported at once',
    invariant: 'alarms',
    file: 'lib/purchases/record-stop-failure.sql',
    search: "interval := '24 hours'",
    replacement: "interval := '0 hours'",
  },
  {
    name: 'whoever has bought for ever may buy that again',
    invariant: 'charged once',
    file: PURCHASE,
    search: 'or price.interval is null and p.interval is null and bought.slug = price.slug',
    replacement: 'or false',
  },
  {
    name: 'a payment names no price',
    invariant: 'amounts',
    file: PAYMENTS,
    search: "'price_slug', (select sold.slug from prices sold where sold.id = payment.price_id),",
    replacement: "'price_slug', null,",
  },
  {
    name: 'a checkout in another currency was paid in dollars',
    invariant: 'checkout amounts',
    file: EMIT_EVENTS,
    search: "'currency', checkout.currency,",
    replacement: "'currency', 'USD',",
  },
  {
    name: 'a renewal is reported before it is paid for',
    invariant: 'renewals reported',
    file: EMIT_EVENTS,
    search: 'case when after.paid_period_start > before.paid_period_start',
    replacement: 'case when after.current_period_start > before.current_period_start',
  },
  {
    name: '`previous` is what was reported first',
    invariant: 'previous',
    file: EMIT_EVENTS,
    search: 'case when before.begun then purchase_json(before, before.fetched_at) end',
    replacement: `case when before.begun then coalesce(
      (select e.body::jsonb #> '{data,subscription}' from events e
       where (e.paywall_id, e.user_id, e.type) = (after.paywall_id, after.user_id, 'subscription.created') limit 1),
      purchase_json(before, before.fetched_at)) end`,
  },
  {
    name: 'a scheduled change of plan is not shown',
    invariant: 'scheduled change',
    file: 'lib/purchases/plan-changes.sql',
    search: "after.status = 'canceled' or scheduled_end(after)",
    replacement: "after.status <> 'canceled' or scheduled_end(after)",
    isPossible: schedulesPlanChanges,
  },
  {
    name: 'a scheduled change of plan is not reported',
    invariant: 'event types',
    file: EMIT_EVENTS,
    search: "case when is_change_scheduled(before, after) then 'subscription.plan_change_scheduled' end,",
    replacement: '',
    isPossible: schedulesPlanChanges,
  },
  {
    name: 'a quote is not checked',
    invariant: 'quotes',
    file: 'functions/change-plan/claim-plan-change.sql',
    search:
      'change := find_quote(gate.owner_id, quote, subscription, wanted.price, wanted.quantity, wanted.takes_effect);',
    replacement:
      'change := new_plan_change(gate.owner_id, subscription, wanted.price, wanted.quantity, wanted.takes_effect);',
    isPossible: changesPlans,
  },
  {
    name: 'what an offer has taken off is not recorded',
    invariant: 'taken off',
    file: PAYMENTS,
    search: "(fact ->> 'discount')::bigint,",
    replacement: 'null,',
  },
  {
    name: 'a use beyond the limits is not reported',
    invariant: 'offer uses',
    file: OFFER_USES,
    search: 'where u.checkout_id = checkout.id and u.is_beyond_max)',
    replacement: 'where false)',
  },
  {
    name: 'a use that was paid is free again',
    invariant: 'offer uses',
    file: OFFER_USES,
    search: 'select use.paid_at is not null or use.held_until > present',
    replacement: 'select use.paid_at is null and use.held_until > present',
  },
  {
    name: 'a page that was left holds its use for ever',
    invariant: 'offer uses',
    file: OFFER_USES,
    search: "select interval '24 hours'",
    replacement: "select interval '240 hours'",
  },
  {
    name: 'a member can use an offer again and again',
    invariant: 'offer uses',
    file: OFFER_USES,
    search: "and (u.paid_at is not null or u.held_until = 'infinity') and c.id is distinct from own_checkout_id",
    replacement: 'and false',
  },
  {
    name: 'several units are shown as one',
    invariant: 'sold as ordered',
    file: PURCHASE,
    search: "'quantity', p.quantity,",
    replacement: "'quantity', 1,",
    isPossible: sellsUnits,
  },
  {
    name: 'several units bring the tokens of one',
    invariant: 'tokens credited',
    file: 'lib/purchases/credited-periods.sql',
    search: "unit_tokens((t ->> 'count')::bigint, quantity)",
    replacement: "(t ->> 'count')::bigint",
    isPossible: sellsUnits,
  },
]

const ROOT = join(import.meta.dirname, '../..')

/** The text of the file with the bug in it. Throws unless the text to replace occurs exactly once. */
export function withBug({ name, file, search, replacement }: Bug): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(search)
  if (parts.length !== 2) throw new Error(`${name}: ${file} has ${parts.length - 1} places that say ${search}`)
  return parts.join(replacement)
}

/** Introduces a bug into the database of a stage. Returns a function that removes it. */
export async function seedBug(stage: Stage, bug: Bug): Promise<() => Promise<void>> {
  await replaceFunctions(stage, withBug(bug))
  return () => replaceFunctions(stage, readFileSync(join(ROOT, bug.file), 'utf8'))
}

/** Replaces database functions with those of a file. Their settings and privileges remain. */
async function replaceFunctions({ world }: Stage, text: string): Promise<void> {
  const { name: release } = readRelease()
  const ofRelease = `pronamespace = '${release}'::regnamespace`
  const client = await world.database.connect()
  try {
    await client.query('begin')
    await client.query(
      `create temporary table settings on commit drop as select oid, proconfig from pg_proc where ${ofRelease}`,
    )
    await client.query(`set local search_path = ${release}, public`)
    await client.query(text.replaceAll(/^create function/gm, 'create or replace function'))
    await client.query('update pg_proc p set proconfig = s.proconfig from pg_temp.settings s where s.oid = p.oid')
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
