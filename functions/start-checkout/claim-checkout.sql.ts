import { type RawBuilder, sql } from 'kysely'
import type * as z from 'zod'
import type { Database } from '../../lib/db/connect.ts'
import { type Caller, type GateRefusal, gate, gateRefusals, type Place } from '../../lib/db/gate.sql.ts'
import { merged } from '../../lib/db/user-meta.sql.ts'
import type { Geo, LocalPrice } from '../../lib/geo/targeting.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'
import type { CheckoutOrder } from '../../lib/processors/processor.ts'
import type { CheckoutRequest, Reply } from './contract.ts'

/** How long one try may hold the claim: longer than the processor client's own patience. A crash costs this much. */
export type Lease = { holder: string; seconds: number }

export type CheckoutRefusal =
  | GateRefusal
  | 'key_reused'
  | 'key_required'
  | 'missing_parameters'
  | 'unknown_price'
  | 'active_purchase'
  | 'full_meta'

export type CheckoutReply = z.output<typeof Reply>

/** What the processor is to be asked for, as the first try of this Idempotency-Key put it. */
export interface ClaimedCheckout {
  id: string
  paywall_id: string
  /** With the paywall, the claim's name: whose Idempotency-Key it is. */
  caller: string
  key: string
  user_id: string
  email: string | null
  acquiring: Acquiring
  customer: string | null
  trial_days: number
  country: string | null
  local_currency: string | null
  return_origin: string
  attempt: number
  geo: Geo
  price: Price & { locals: (LocalPrice & Price)[] } & Pick<CheckoutOrder, 'recurring'>
  credentials: string
}

/** `amount` is in minor units. */
export type Price = { currency: string; amount: number; processor_price: string }

export type DecidedRow =
  | { verdict: Exclude<CheckoutRefusal, 'missing_parameters'> }
  | { verdict: 'missing_parameters'; has_success_url: boolean; has_error_url: boolean }
  | { verdict: 'replay'; reply: CheckoutReply }
  | { verdict: 'claimed'; checkout: ClaimedCheckout }

export type ClaimRow = DecidedRow | { verdict: 'in_progress' }

/**
 * Decides who opens the checkout of an Idempotency-Key. The claim's row is upserted, so that of many callers at once
 * exactly one is the holder; the others see that it is in progress, or what came of it. A try whose lease has run out
 * has crashed: the next one takes over its checkout, and with it the key that the processor knows it by.
 */
export async function claimCheckout(
  db: Database,
  caller: Caller,
  place: Place,
  request: CheckoutRequest,
  lease: Lease,
): Promise<ClaimRow> {
  const { rows } = await sql<ClaimRow>`
    with ${gate(caller, place)}, ${order(caller, request)}, ${buyer(caller, request)}, ${claim(caller, request, lease)}
    select
      case ${gateRefusals(caller)}
        when exists (select from prior where request_hash <> ${request.hash}) then 'key_reused'
        when exists (select from prior where opened) then 'replay'
        when not exists (select from target where complete) then 'missing_parameters'
        when exists (select from granted where not is_test) and ${!request.hasKey} then 'key_required'
        when not exists (select from price) then 'unknown_price'
        when exists (select from prior where leased) then 'in_progress'
        when exists (select from full_meta) then 'full_meta'
        when not exists (select from allowed) then 'active_purchase'
        when exists (select from claim where request_hash <> ${request.hash}) then 'key_reused'
        when exists (select from placed) then 'claimed'
        else 'in_progress'
      end as verdict,
      (select success_url is not null from target) as has_success_url,
      (select error_url is not null from target) as has_error_url,
      (select json_build_object('checkoutUrl', url, 'userId', user_id, 'acquiring', acquiring) from prior) as reply,
      ${claimedCheckout} as checkout`.execute(db)
  return rows[0]!
}

/** What is asked for: an earlier try of the same key, the price, where to return to, and whether that may be sold. */
function order(caller: Caller, request: CheckoutRequest) {
  const named = caller.kind === 'user' ? sql`true` : sql`${request.email !== null}::boolean`
  return sql`
    prior as (
      select k.request_hash, k.opened, k.leased_until > now() as leased, c.url, c.user_id, c.acquiring
      from granted g join checkout_claims k on k.paywall_id = g.id join checkouts c on c.id = k.checkout_id
      where k.caller = ${request.caller}::text and k.idempotency_key = ${request.key}::uuid
        and k.claimed_at > now() - interval '24 hours'
    ), price as (
      select p.* from prices p join granted g on g.id = p.paywall_id
      where p.id = ${request.priceId}::text and p.retired_at is null
    ), default_urls as (
      select g.settings ->> 'success_redirect_url' as success_url,
        coalesce(g.settings ->> 'error_redirect_url', 'https://' || g.domain || '/') as error_url
      from granted g where g.domain is not null
    ), target as (
      select *, ${request.priceId !== null}::boolean and ${named}
        and success_url is not null and error_url is not null as complete
      from (select
        coalesce(${request.successUrl}::text, (select success_url from default_urls)) as success_url,
        coalesce(${request.errorUrl}::text, (select error_url from default_urls)) as error_url) urls
    ), orderable as (
      select target.* from granted g, price, target
      where target.complete and (g.is_test or ${request.hasKey})
        and not exists (select from prior where opened or leased or request_hash <> ${request.hash})
    )`
}

/**
 * Who buys: made and linked to the paywall if new, but not while an active subscription stands in the way.
 * The rows are locked in the order user, member, claim, as every statement does, so that none waits for each other.
 * Its `meta` is measured as it was when the statement began: calls at one moment may carry it a little over its limit.
 */
function buyer(caller: Caller, request: CheckoutRequest) {
  const [known, user]: RawBuilder<unknown>[] =
    caller.kind === 'user'
      ? [sql`select id, email from users where id = ${caller.userId}::uuid`, sql`select known.* from known, allowed`]
      : [
          sql`select id, email from users where email = ${request.email}::text`,
          sql`insert into users (email) select ${request.email}::text from allowed
              on conflict (email) do update set created_at = users.created_at returning id, email`,
        ]
  const { meta, tooLarge } = merged(sql`m.meta`, request.userMeta)
  return sql`
    known as (${known!}),
    bought as (
      select p.* from purchases p join granted g on g.id = p.paywall_id join known k on k.id = p.user_id
    ), full_meta as (
      select from members m join granted g on g.id = m.paywall_id join known k on k.id = m.user_id where ${tooLarge}
    ), allowed as (
      select * from orderable
      where not exists (select from full_meta)
        and (${request.ignoreActivePurchase} or not exists (select from bought b where b.interval is not null and is_paid(b)))
    ), buyer as (${user!}), linked as (
      insert into members as m (paywall_id, user_id, meta)
      select g.id, buyer.id, ${JSON.stringify(request.userMeta)}::jsonb from granted g, buyer
      on conflict (paywall_id, user_id) do update set meta = ${meta} where m.merged_into is null
      returning m.paywall_id, m.user_id
    )`
}

/**
 * The row that decides, and the checkout of whoever holds it. A user gets one trial on a paywall, unless the owner says
 * otherwise by its own key: else a trial could be had for ever.
 */
function claim(caller: Caller, request: CheckoutRequest, lease: Lease) {
  const mayRepeatTrial = caller.kind === 'owner' && request.trialDays !== null
  const stale = sql`c.claimed_at <= now() - interval '24 hours'`
  const free = sql`(${stale} or not c.opened and c.leased_until <= now() and c.request_hash = excluded.request_hash)`
  return sql`
    claim as (
      insert into checkout_claims as c
        (paywall_id, caller, idempotency_key, request_hash, checkout_id, holder, leased_until)
      select paywall_id, ${request.caller}, ${request.key}::uuid, ${request.hash}, gen_random_uuid(),
        ${lease.holder}::uuid, now() + make_interval(secs => ${lease.seconds}::double precision)
      from linked
      on conflict (paywall_id, caller, idempotency_key) do update set
        request_hash = case when ${stale} then excluded.request_hash else c.request_hash end,
        checkout_id = case when ${stale} then excluded.checkout_id else c.checkout_id end,
        attempt = case when ${stale} then 1 else c.attempt end,
        opened = c.opened and not ${stale},
        claimed_at = case when ${stale} then now() else c.claimed_at end,
        holder = case when ${free} then excluded.holder else c.holder end,
        leased_until = case when ${free} then excluded.leased_until else c.leased_until end
      returning *
    ), placed as (
      insert into checkouts as c (id, paywall_id, user_id, price_id, acquiring, trial_days, country, local_currency,
        customer, success_url, error_url, shop_url, return_origin)
      select claim.checkout_id, linked.paywall_id, linked.user_id, price.id, g.acquiring,
        case
          when price.interval is null then 0
          when ${mayRepeatTrial} or not exists (select from bought where trial_start is not null)
            then coalesce(${request.trialDays}::int, price.trial_days)
          else 0 end,
        ${request.country}::text, ${request.localCurrency}::text,
        (select b.processor_customer from bought b
         where b.acquiring = g.acquiring and b.processor_customer is not null order by b.created_at desc limit 1),
        allowed.success_url, allowed.error_url, ${request.shopUrl}::text, ${request.returnOrigin}::text
      from claim, linked, price, granted g, allowed
      where claim.holder = ${lease.holder}::uuid
      on conflict (id) do update set return_origin = c.return_origin
      returning *
    )`
}

const claimedCheckout = sql`(
  select jsonb_build_object(
    'id', c.id, 'paywall_id', c.paywall_id, 'caller', claim.caller, 'key', claim.idempotency_key, 'user_id', c.user_id, 'email', buyer.email, 'acquiring', c.acquiring,
    'customer', c.customer, 'trial_days', c.trial_days, 'country', c.country, 'local_currency', c.local_currency,
    'return_origin', c.return_origin, 'attempt', claim.attempt, 'geo', g.geo, 'credentials', a.credentials,
    'price', jsonb_build_object('currency', p.currency, 'amount', p.amount,
      'processor_price', p.processor_price, 'locals', p.locals, 'recurring', case when p.interval is not null then
        jsonb_build_object('interval', p.interval, 'intervalCount', p.interval_count) end))
  from placed c, claim, buyer, granted g, price p, processor_accounts a
  where (a.paywall_id, a.acquiring) = (c.paywall_id, c.acquiring)
)`
