import { sql } from 'kysely'
import { balanceEvents } from '../events/balance-changed.sql.ts'
import { outbox } from '../events/outbox.sql.ts'
import { transitions } from '../events/transitions.sql.ts'
import type { Acquiring } from '../processors/acquiring.ts'
import type { PaymentFact } from '../processors/event.ts'
import type { PurchaseSnapshot } from '../processors/processor.ts'
import type { Database } from './connect.ts'
import { ledgerRows } from './touch-balances.sql.ts'

/** What was learnt of a purchase, and how. */
export interface Learnt {
  paywallId: string
  acquiring: Acquiring
  /** The inbound event's id, by which a repeat is known; null when it was not an event that told. */
  eventId: string | null
  snapshot: PurchaseSnapshot
  /** The database's clock the instant before the fetch began, as text: a later fetch always wins. */
  fetchedAt: string
  payment: PaymentFact | null
  /** The processor says that the trial is about to end. It is told three days ahead anyway, once. */
  trialEnding: boolean
}

export type Stored = {
  /** `unknown_checkout`: the sale is not one of ours. `repeated`: this event took effect before. */
  verdict: 'stored' | 'repeated' | 'unknown_checkout'
  /** How many deliveries to owners' endpoints now wait. */
  queued: number
}

type StoredRow = { verdict: Stored['verdict'] | 'moved'; queued: number }

/**
 * The one way a purchase changes: the snapshot is upserted, the plan's tokens credited, the payment noted, the checkout
 * completed and the owner's events written, all or nothing.
 *
 * The upsert keeps the row as it was in `previous`. It reads the row that it locks, so what changed is told apart
 * rightly however many writers there are; a snapshot older than the row changes nothing, which tells nothing.
 * The member's row is locked before all else, as everywhere, so that writers queue instead of waiting for each other.
 * Asked again only if the buyer, an anonymous user, became a known one meanwhile: nothing was stored, and now the
 * checkout says whose it is.
 */
export async function storePurchase(db: Database, learnt: Learnt): Promise<Stored> {
  const first = await store(db, learnt)
  const { verdict, queued } = first.verdict === 'moved' ? await store(db, learnt) : first
  if (verdict === 'moved') throw new Error(`checkout ${learnt.snapshot.checkoutId} belongs to a merged member`)
  return { verdict, queued }
}

async function store(db: Database, learnt: Learnt): Promise<StoredRow> {
  const { rows } = await sql<StoredRow>`
    with ${seen(learnt)}, ${stored(learnt)}, ${credited}, ${completed}, ${paid(learnt)}, ${happened}, ${outbox}
    select
      case when not exists (select from ordered) then
          case when exists (select from ${checkoutOf(learnt)}) then 'moved' else 'unknown_checkout' end
        when not exists (select from stored) then 'repeated' else 'stored' end as verdict,
      (select count(*)::int from queued) as queued`.execute(db)
  return rows[0]!
}

/** The checkout's row as it was when the statement began. */
function checkoutOf({ paywallId, acquiring, snapshot }: Learnt) {
  return sql`(
    select * from checkouts
    where id = ${snapshot.checkoutId}::uuid and paywall_id = ${paywallId} and acquiring = ${acquiring}
  ) c`
}

/** What was given up before it began is of no interest, unless it was stored while that was not known. */
function seen(learnt: Learnt) {
  const { eventId, snapshot, paywallId, acquiring } = learnt
  const isWorthKeeping = snapshot.begun || snapshot.status !== 'canceled'
  const isKept = sql`exists (
    select from purchases
    where (paywall_id, acquiring, processor_id) = (${paywallId}, ${acquiring}, ${snapshot.processorId}))`
  return sql`
    ordered as (
      select c.* from ${checkoutOf(learnt)} join members m using (paywall_id, user_id)
      where m.merged_into is null
      for no key update of m
    ), seen as (
      insert into processor_events (paywall_id, acquiring, event_id)
      select paywall_id, acquiring, ${eventId}::text from ordered where ${eventId}::text is not null
      on conflict do nothing
      returning event_id
    ), fresh as (
      select ordered.* from ordered
      where (${eventId}::text is null or exists (select from seen)) and (${isWorthKeeping} or ${isKept})
    )`
}

/** The columns that a snapshot brings; they change together or not at all. */
const SNAPSHOT = sql.raw(
  'processor_customer, status, begun, interval, interval_count, unit_amount, currency, current_period_start, ' +
    'current_period_end, trial_start, trial_end, cancel_at_period_end, cancel_at, canceled_at, fetched_at',
)
const PROPOSED = sql.raw(
  'excluded.processor_customer, excluded.status, excluded.begun, excluded.interval, excluded.interval_count, ' +
    'excluded.unit_amount, excluded.currency, excluded.current_period_start, excluded.current_period_end, ' +
    'excluded.trial_start, excluded.trial_end, excluded.cancel_at_period_end, excluded.cancel_at, ' +
    'excluded.canceled_at, excluded.fetched_at',
)
const CURRENT = sql.raw(
  'p.processor_customer, p.status, p.begun, p.interval, p.interval_count, p.unit_amount, p.currency, ' +
    'p.current_period_start, p.current_period_end, p.trial_start, p.trial_end, p.cancel_at_period_end, ' +
    'p.cancel_at, p.canceled_at, p.fetched_at',
)

/**
 * A request to cancel is forgotten once the processor, asked after it took the request, says that it will renew: somebody
 * undid it there, and may cancel again.
 */
const undone = sql`(not excluded.cancel_at_period_end and excluded.fetched_at > p.cancel_accepted_at)`
const forgottenCancellation = sql`
  cancel_requested_at = case when ${undone} then null else p.cancel_requested_at end,
  cancel_accepted_at = case when ${undone} then null else p.cancel_accepted_at end,
  cancellation_reason = case when ${undone} then null else p.cancellation_reason end`

/** How long before a trial ends the owner is told. */
const TRIAL_NOTICE = sql`interval '72 hours'`

/** What has ended by the time that it is first seen gets no tokens any more. */
const isRunning = ({ status }: PurchaseSnapshot) => status === 'trialing' || status === 'active'

function stored({ snapshot: s, fetchedAt, trialEnding }: Learnt) {
  const newer = sql`excluded.fetched_at >= p.fetched_at`
  return sql`
    stored as (
      insert into purchases as p (paywall_id, user_id, checkout_id, price_id, acquiring, processor_id, ${SNAPSHOT},
        past_due_since, paid_period_start, trial_end_told)
      select paywall_id, user_id, id, price_id, acquiring, ${s.processorId}, ${s.customer}::text, ${s.status},
        ${s.begun}, ${s.interval}::text, ${s.intervalCount}::int, ${s.unitAmount}::bigint, ${s.currency},
        ${s.currentPeriodStart}::timestamptz, ${s.currentPeriodEnd}::timestamptz, ${s.trialStart}::timestamptz,
        ${s.trialEnd}::timestamptz, ${s.cancelAtPeriodEnd}, ${s.cancelAt}::timestamptz, ${s.canceledAt}::timestamptz,
        ${fetchedAt}::timestamptz,
        case when ${s.status} = 'past_due' then now() end,
        case when ${s.periodPaid && isRunning(s)} then coalesce(${s.currentPeriodStart}::timestamptz, now()) end,
        case when ${trialEnding} or ${s.status === 'trialing' && !s.cancelAtPeriodEnd}
          and ${s.trialEnd}::timestamptz <= now() + ${TRIAL_NOTICE} then ${s.trialEnd}::timestamptz end
      from fresh
      on conflict (paywall_id, acquiring, processor_id) do update set
        (${SNAPSHOT}) = (select ${PROPOSED} where ${newer} union all select ${CURRENT} where not ${newer}),
        past_due_since = case
          when not ${newer} then p.past_due_since
          when excluded.status = 'past_due' then coalesce(p.past_due_since, now()) end,
        paid_period_start = case
          when not ${newer} then p.paid_period_start
          when excluded.interval is null then coalesce(p.paid_period_start, excluded.paid_period_start)
          else greatest(p.paid_period_start, excluded.paid_period_start) end,
        trial_end_told = case
          when ${newer} or ${trialEnding} then coalesce(excluded.trial_end_told, p.trial_end_told)
          else p.trial_end_told end,
        ${forgottenCancellation},
        previous = to_jsonb(p) - 'previous'
      returning *
    )`
}

/** The plan's tokens, once a period when it is paid or on trial, in the order of types in which balances are locked. */
const credited = sql`
  credited as (
    insert into balances as b (paywall_id, user_id, type, count, previous_count)
    select s.paywall_id, s.user_id, t ->> 'type', (t ->> 'count')::bigint, 0
    from stored s join prices p on p.id = s.price_id, jsonb_array_elements(p.tokens) t
    where s.paid_period_start is distinct from (s.previous ->> 'paid_period_start')::timestamptz
    order by t ->> 'type'
    on conflict (paywall_id, user_id, type) do update set
      count = least(b.count + excluded.count, ${Number.MAX_SAFE_INTEGER}::bigint), previous_count = b.count, top_up = 0
    returning *
  ), ${ledgerRows('credited', sql`'plan'`, sql`(select id::text from stored)`)}`

const completed = sql`
  completed as (
    update checkouts c set completed_at = now() from stored s
    where c.id = s.checkout_id and c.completed_at is null and s.begun
    returning c.*
  )`

function paid({ payment, acquiring }: Learnt) {
  return sql`
    paid as (
      insert into payments (purchase_id, paywall_id, acquiring, processor_payment, kind, amount, currency, occurred_at)
      select id, paywall_id, ${acquiring}, ${payment?.id ?? null}::text, ${payment?.kind ?? null}::text,
        ${payment?.amount ?? null}::bigint, ${payment?.currency ?? null}::text, ${payment?.occurredAt ?? null}::timestamptz
      from stored where ${payment !== null}
      on conflict do nothing
      returning *
    )`
}

/** What the owner is told, in the order in which it makes sense. */
const happened = sql`
  change as (
    select after.paywall_id, after.user_id, purchase_json(after) as object, ${transitions} as types,
      case when before.id is not null then purchase_json(before) end as previous
    from stored after, jsonb_populate_record(null::purchases, after.previous) before
  ), happened as (
    select c.paywall_id, c.user_id, 1 as position, 'checkout.completed' as type, jsonb_build_object(
      'id', c.id, 'price_id', c.price_id, 'purchase_id', s.id, 'currency', c.currency, 'amount', c.amount,
      'shop_url', c.shop_url, 'completed_at', iso(c.completed_at)) as object, null::jsonb as previous
    from completed c, stored s
    union all
    select paywall_id, user_id, 10 + ordinality, type, object, previous
    from change, unnest(types) with ordinality as t (type, ordinality)
    union all
    select s.paywall_id, s.user_id, 20, 'subscription.trial_ending', purchase_json(s), null
    from stored s where s.trial_end_told is distinct from (s.previous ->> 'trial_end_told')::timestamptz
    union all
    select s.paywall_id, s.user_id, 30, 'payment.' || p.kind, jsonb_build_object(
      'id', p.id, 'purchase_id', s.id, 'amount', p.amount, 'currency', p.currency,
      'occurred_at', iso(p.occurred_at)), null
    from paid p, stored s
    union all
    ${balanceEvents}
  )`
