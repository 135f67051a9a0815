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
  says: string
  instead: string
  /** Whether the bug can show at a processor. Default: at all. */
  isPossible?(acquiring: ProcessorName): boolean
}

const PAYMENTS = 'lib/purchases/payments.sql'
const SNAPSHOT = 'lib/purchases/apply-snapshot.sql'
const PURCHASE = 'lib/access/purchase.sql'
const TELL = 'lib/purchases/emit-purchase-events.sql'

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
    says: 'coalesce(access_until(p) > at, true)',
    instead: 'true',
  },
  {
    name: 'features of what has ended stay',
    invariant: 'access',
    file: 'lib/member-state/member-state.sql',
    says: 'where having_access.has_access)',
    instead: 'where true)',
  },
  {
    name: 'the grace of a renewal is a week',
    invariant: 'access_until',
    file: PURCHASE,
    says: "interval '3 days'",
    instead: "interval '7 days'",
  },
  {
    name: 'a local price is shown as the base price',
    invariant: 'sold as ordered',
    file: PURCHASE,
    says: "'unit_amount', p.unit_amount",
    instead: "'unit_amount', sold.amount",
  },
  {
    name: 'the slug of another price of the paywall is shown',
    invariant: 'sold as ordered',
    file: PURCHASE,
    says: 'then sold.slug end',
    instead: 'then (select min(other.slug) from prices other where other.paywall_id = sold.paywall_id) end',
  },
  {
    name: 'a merge leaves purchases behind',
    invariant: 'same purchases',
    file: 'functions/sign-in/merge-users.sql',
    says: 'update purchases p set user_id = into_id, buyer_email = null',
    instead: 'update purchases p set buyer_email = null',
  },
  {
    name: 'a page is not polled',
    invariant: 'payments belong',
    file: 'lib/purchases/due-times.sql',
    says: "return poll_at_double_age(created_at, coalesce(polled_at, created_at), interval '15 minutes', interval '336 hours');",
    instead: 'return null;',
  },
  {
    name: 'what was bought on another paywall is shown',
    invariant: 'sold by its paywall',
    file: 'lib/member-state/member-state.sql',
    says: 'from purchases p where p.paywall_id = member_state.paywall_id and p.user_id = member_state.user_id',
    instead: 'from purchases p where p.user_id = member_state.user_id',
  },
  {
    name: 'the first snapshot stays',
    invariant: 'state',
    file: SNAPSHOT,
    says: 'fetched_at >= before.fetched_at',
    instead: 'fetched_at < before.fetched_at',
  },
  {
    name: 'a plan that was changed stays what it was',
    invariant: 'sold as ordered',
    file: 'lib/purchases/plan-changes.sql',
    says: 'if price.id is not null then',
    instead: 'if price.id is not null and false then',
  },
  {
    name: 'a cancellation that was stored is forgotten',
    invariant: 'cancelled',
    file: PURCHASE,
    says: "'cancel_at_period_end', p.cancel_at_period_end",
    instead: "'cancel_at_period_end', false",
  },
  {
    name: 'one more is paid for each payment',
    invariant: 'amounts',
    file: PAYMENTS,
    says: "(fact ->> 'amount')::bigint,",
    instead: "(fact ->> 'amount')::bigint + 1,",
  },
  {
    name: 'a payment that went through is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    says: 'if found and is_reported(payment) then',
    instead: "if found and is_reported(payment) and payment.kind <> 'succeeded' then",
  },
  {
    name: 'a refund is reported as all that was paid',
    invariant: 'money back',
    file: PAYMENTS,
    says: "'amount', payment.amount,",
    instead: "'amount', coalesce(totals.amount, payment.amount),",
  },
  {
    name: 'nothing is reported to have gone back',
    invariant: 'money back',
    file: PAYMENTS,
    says: "'refunded_amount', totals.refunded,",
    instead: "'refunded_amount', 0,",
  },
  {
    name: 'what is bought replaces what there was, wanted or not',
    invariant: 'ends for a reason',
    file: 'lib/purchases/replaced-purchases.sql',
    says: 'and (select c.replaces from checkouts c where c.id = p.checkout_id)',
    instead: 'and true',
  },
  {
    name: 'what is bought once replaces nothing',
    invariant: 'charged once',
    file: 'lib/purchases/replaced-purchases.sql',
    says: 'and (p.interval is not null or p.access)',
    instead: 'and p.interval is not null',
  },
  {
    name: 'grace begins anew with each read',
    invariant: 'access_until',
    file: SNAPSHOT,
    says: "when 'past_due' then coalesce(before.past_due_since, present)",
    instead: "when 'past_due' then present",
  },
  {
    name: 'whoever has a subscription may buy another',
    invariant: 'charged once',
    file: PURCHASE,
    says: 'if not price.access then return null; end if;',
    instead: 'return null;',
  },
  {
    name: 'whoever pauses may buy another',
    invariant: 'charged once',
    file: PURCHASE,
    says: "p.interval is not null and p.status <> 'canceled'",
    instead: "p.interval is not null and p.status not in ('canceled', 'paused')",
  },
  {
    name: 'what is replaced goes on',
    invariant: 'charged once',
    file: 'lib/purchases/replaced-purchases.sql',
    says: 'older.interval is not null and',
    instead: 'older.interval is null and',
  },
  {
    name: 'what was sold twice is no duplicate',
    invariant: 'charged once',
    file: TELL,
    says: 'if checkout.replaces then return null; end if;',
    instead: 'return null;',
  },
  {
    name: 'a checkout came to what its price says',
    invariant: 'checkout amounts',
    file: 'lib/purchases/store-purchase.sql',
    says: 'checkout.charged := complete_checkout.charged;',
    instead: 'checkout.charged := checkout.amount;',
  },
  {
    name: 'a refund that fails later is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    says: "if payment.kind not in ('refunded', 'refund_failed') then return true; end if;",
    instead: "if payment.kind <> 'refund_failed' then return true; else return false; end if;",
  },
  {
    name: 'an event goes to the webhook endpoints of both modes',
    invariant: 'events of its mode',
    file: 'lib/events/emit-event.sql',
    says: 'and e.is_test = (select p.is_test from paywalls p where p.id = paywall_id)',
    instead: '',
  },
  {
    name: 'an event has the number of the one before',
    invariant: 'sequence',
    file: 'lib/events/emit-event.sql',
    says: 'set event_sequence = m.event_sequence + 1',
    instead: 'set event_sequence = m.event_sequence + 2',
  },
  {
    name: 'an event shows what was before it',
    invariant: 'last event',
    file: TELL,
    says: 'object constant jsonb := purchase_json(after, after.fetched_at);',
    instead:
      'object constant jsonb := purchase_json(case when before.id is null then after else before end, after.fetched_at);',
  },
  {
    name: 'a cancellation is reported as undone',
    invariant: 'event types',
    file: TELL,
    says: "then 'subscription.cancel_scheduled' end",
    instead: "then 'subscription.uncanceled' end",
  },
  {
    name: 'a changed plan is not reported',
    invariant: 'event types',
    file: TELL,
    says: "case when is_other_plan then 'subscription.plan_changed' end,",
    instead: '',
  },
  {
    name: 'the end of grace is not reported',
    invariant: 'event types',
    file: TELL,
    says: "case when after.access_ended_at is not null and before.access_ended_at is null then 'subscription.access_ended' end,",
    instead: '',
  },
  {
    name: 'a renewal is not reported',
    invariant: 'renewals reported',
    file: TELL,
    says: "then 'subscription.renewed' end",
    instead: "and false then 'subscription.renewed' end",
  },
  {
    name: 'the end of a trial is not reported',
    invariant: 'trial ends reported',
    file: TELL,
    says: "then '{subscription.trial_ending}' else '{}' end",
    instead: "then '{}'::text[] else '{}' end",
  },
  {
    name: 'a completed checkout is not reported',
    invariant: 'checkouts reported',
    file: TELL,
    says: 'if completed.id is not null then types',
    instead: 'if false then types',
  },
  {
    name: '`previous` is not what was reported before',
    invariant: 'previous',
    file: TELL,
    says: 'case when before.begun then purchase_json(before, before.fetched_at) end',
    instead: `case when before.begun then purchase_json(before, before.fetched_at) || '{"status": "pending"}' end`,
  },
  {
    name: 'a balance changes without a row',
    invariant: 'ledger',
    file: 'lib/tokens/balance.sql',
    says: 'returning b.count into count_after;\n  if not found',
    instead:
      'returning b.count + 1 into count_after;\n  update balances b set count = b.count + 1\n  where (b.paywall_id, b.user_id, b.type) = (move_tokens.paywall_id, move_tokens.user_id, move_tokens.type);\n  if not found',
  },
  {
    name: 'a merge takes the tokens of the one',
    invariant: 'tokens changed',
    file: 'functions/sign-in/merge-users.sql',
    says: 'if credited > 0 then',
    instead: 'if false then',
  },
  {
    name: 'a period is credited at each read',
    invariant: 'tokens brought',
    file: 'lib/purchases/credited-periods.sql',
    says: "if (last.price_id, last.quantity) = (p.price_id, p.quantity) then return '{}'; end if;",
    instead: "if last.price_id = p.price_id then return credit_each(p, 'plan', brought); end if;",
  },
  {
    name: 'tokens stay when their money goes back',
    invariant: 'tokens brought',
    file: PAYMENTS,
    says: 'if not keeps_tokens and period.given_back is null and totals.refunded >= totals.amount then',
    instead: 'if false then',
  },
  {
    name: 'the end of a subscription takes its tokens',
    invariant: 'tokens brought',
    file: 'lib/purchases/credited-periods.sql',
    says: "if after.status not in ('active', 'past_due', 'paused') then return credits; end if;",
    instead: `if after.status = 'canceled' and before.status <> 'canceled' then return (
      select coalesce(array_agg(move_tokens(b.paywall_id, b.user_id, b.type, -b.count, 'refund')), '{}') from balances b
      where (b.paywall_id, b.user_id, b.type) = (after.paywall_id, after.user_id, 'standard') and b.count > 0); end if;
      if after.status not in ('active', 'past_due', 'paused') then return credits; end if;`,
  },
  {
    name: 'a change of the plan brings the tokens of a period again',
    invariant: 'tokens brought',
    file: 'lib/purchases/credited-periods.sql',
    says: 'm.value::bigint - coalesce((last.credited ->> m.key)::bigint, 0)',
    instead: 'm.value::bigint',
  },
  {
    name: 'a change of the plan brings no more tokens',
    invariant: 'tokens brought',
    file: 'lib/purchases/credited-periods.sql',
    says: 'where b.value::bigint > coalesce((last.credited ->> b.key)::bigint, 0)',
    instead: 'where false',
  },
  {
    name: 'the tokens of a refund that fails later stay away',
    invariant: 'tokens brought',
    file: PAYMENTS,
    says: 'elsif period.refunded = payment.payment_id and totals.refunded < totals.amount then',
    instead: 'elsif false then',
  },
  {
    name: 'a renewal brings no tokens',
    invariant: 'tokens brought',
    file: 'lib/purchases/credited-periods.sql',
    says: 'or starts_at < last.ends_at - longest_early_charge(last.starts_at, last.ends_at);',
    instead: 'or true;',
  },
  {
    name: 'a renewal that no webhook reports brings no tokens',
    invariant: 'tokens brought',
    file: 'lib/purchases/store-purchase.sql',
    says: 'credits := credit_tokens(before, after, checkout, snapshot)',
    instead:
      "credits := case when event_id is null and before.begun then '{}' else credit_tokens(before, after, checkout, snapshot) end",
  },
  {
    name: 'the day’s tokens are added to what is left',
    invariant: 'daily tokens',
    file: 'lib/tokens/balance.sql',
    says: "tokens.type, tokens.daily_limit - balance_count, 'top_up'",
    instead: "tokens.type, tokens.daily_limit, 'top_up'",
  },
  {
    name: 'whoever takes a checkout over opens another page',
    invariant: 'pages',
    file: 'functions/start-checkout/claim.sql',
    says: '  claim.holder := new_holder;',
    instead: '  claim.attempt := claim.attempt + 1;\n  claim.holder := new_holder;',
  },
  {
    name: 'what is paused or has ended shows no end of its access',
    invariant: 'access_until',
    file: PURCHASE,
    says: 'else p.access_lost_at end);',
    instead: 'else null end);',
  },
  {
    name: 'access was lost when that became known, whenever it was to end',
    invariant: 'access_until',
    file: SNAPSHOT,
    says: 'coalesce(before.access_lost_at, least(access_until(before), present))',
    instead: 'coalesce(before.access_lost_at, present)',
  },
  {
    name: 'a lost dispute is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    says: 'if found and is_reported(payment) then',
    instead: "if found and is_reported(payment) and payment.kind <> 'dispute_lost' then",
  },
  {
    name: 'a failed payment is not reported',
    invariant: 'payments reported',
    file: PAYMENTS,
    says: 'if found and is_reported(payment) then',
    instead: "if found and is_reported(payment) and payment.kind <> 'failed' then",
  },
  {
    name: 'a charge for what was replaced is not reported',
    invariant: 'alarms',
    isPossible: waitsForBank,
    file: PAYMENTS,
    says: "return payment.kind = 'succeeded' and coalesce(",
    instead: 'return false and coalesce(',
  },
  {
    name: 'a charge from before the replacement is reported as unexpected',
    invariant: 'alarms',
    file: PAYMENTS,
    says: 'payment.occurred_at > least(replaced_at(purchase), purchase.ended_by_owner_at)',
    instead: 'payment.occurred_at < least(replaced_at(purchase), purchase.ended_by_owner_at)',
  },
  {
    name: 'what is to replace a subscription is its duplicate',
    invariant: 'alarms',
    file: TELL,
    says: 'if checkout.replaces then return null; end if;',
    instead: '',
  },
  {
    name: 'a stop that fails for days is not reported',
    invariant: 'alarms',
    file: 'lib/purchases/record-stop-failure.sql',
    says: "interval := '24 hours'",
    instead: "interval := '240 hours'",
  },
  {
    name: 'a stop that fails once is reported at once',
    invariant: 'alarms',
    file: 'lib/purchases/record-stop-failure.sql',
    says: "interval := '24 hours'",
    instead: "interval := '0 hours'",
  },
  {
    name: 'whoever has bought for ever may buy that again',
    invariant: 'charged once',
    file: PURCHASE,
    says: 'or price.interval is null and p.interval is null and bought.slug = price.slug',
    instead: 'or false',
  },
  {
    name: 'a payment names no price',
    invariant: 'amounts',
    file: PAYMENTS,
    says: "'price_slug', (select sold.slug from prices sold where sold.id = payment.price_id),",
    instead: "'price_slug', null,",
  },
  {
    name: 'a checkout in another currency was paid in dollars',
    invariant: 'checkout amounts',
    file: TELL,
    says: "'currency', checkout.currency,",
    instead: "'currency', 'USD',",
  },
  {
    name: 'a renewal is reported before it is paid for',
    invariant: 'renewals reported',
    file: TELL,
    says: 'case when after.paid_period_start > before.paid_period_start',
    instead: 'case when after.current_period_start > before.current_period_start',
  },
  {
    name: '`previous` is what was reported first',
    invariant: 'previous',
    file: TELL,
    says: 'case when before.begun then purchase_json(before, before.fetched_at) end',
    instead: `case when before.begun then coalesce(
      (select e.body::jsonb #> '{data,subscription}' from events e
       where (e.paywall_id, e.user_id, e.type) = (after.paywall_id, after.user_id, 'subscription.created') limit 1),
      purchase_json(before, before.fetched_at)) end`,
  },
  {
    name: 'a scheduled change of plan is not shown',
    invariant: 'scheduled change',
    file: 'lib/purchases/plan-changes.sql',
    says: "after.status = 'canceled' or scheduled_end(after)",
    instead: "after.status <> 'canceled' or scheduled_end(after)",
    isPossible: schedulesPlanChanges,
  },
  {
    name: 'a scheduled change of plan is not reported',
    invariant: 'event types',
    file: TELL,
    says: "case when is_change_scheduled(before, after) then 'subscription.plan_change_scheduled' end,",
    instead: '',
    isPossible: schedulesPlanChanges,
  },
  {
    name: 'a quote is not checked',
    invariant: 'quotes',
    file: 'functions/change-plan/claim-plan-change.sql',
    says: 'change := find_quote(gate.owner_id, quote, subscription, wanted.price, wanted.quantity, wanted.takes_effect);',
    instead:
      'change := new_plan_change(gate.owner_id, subscription, wanted.price, wanted.quantity, wanted.takes_effect);',
    isPossible: changesPlans,
  },
  {
    name: 'what an offer has taken off is not recorded',
    invariant: 'taken off',
    file: PAYMENTS,
    says: "(fact ->> 'discount')::bigint,",
    instead: 'null,',
  },
  {
    name: 'a use beyond the limits is not reported',
    invariant: 'offer uses',
    file: OFFER_USES,
    says: 'where u.checkout_id = checkout.id and u.is_beyond_max)',
    instead: 'where false)',
  },
  {
    name: 'a use that was paid is free again',
    invariant: 'offer uses',
    file: OFFER_USES,
    says: 'select use.paid_at is not null or use.held_until > present',
    instead: 'select use.paid_at is null and use.held_until > present',
  },
  {
    name: 'a page that was left holds its use for ever',
    invariant: 'offer uses',
    file: OFFER_USES,
    says: "select interval '24 hours'",
    instead: "select interval '240 hours'",
  },
  {
    name: 'a member can use an offer again and again',
    invariant: 'offer uses',
    file: OFFER_USES,
    says: "and (u.paid_at is not null or u.held_until = 'infinity') and c.id is distinct from own_checkout_id",
    instead: 'and false',
  },
  {
    name: 'several units are shown as one',
    invariant: 'sold as ordered',
    file: PURCHASE,
    says: "'quantity', p.quantity,",
    instead: "'quantity', 1,",
    isPossible: sellsUnits,
  },
  {
    name: 'several units bring the tokens of one',
    invariant: 'tokens brought',
    file: 'lib/purchases/credited-periods.sql',
    says: "tokens_of_units((t ->> 'count')::bigint, quantity)",
    instead: "(t ->> 'count')::bigint",
    isPossible: sellsUnits,
  },
]

const ROOT = join(import.meta.dirname, '../..')

/** The text of the file with the bug in it. Throws unless the text to replace occurs exactly once. */
export function withBug({ name, file, says, instead }: Bug): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(says)
  if (parts.length !== 2) throw new Error(`${name}: ${file} has ${parts.length - 1} places that say ${says}`)
  return parts.join(instead)
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
