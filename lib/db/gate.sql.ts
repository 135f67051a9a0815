import { type RawBuilder, sql } from 'kysely'

/** Who calls: an owner by its key, a user by its verified token. */
export type Caller = { kind: 'owner'; keyHash: string } | { kind: 'user'; userId: string }

/** Where the call is about: the paywall in its path, and the host it came in by. */
export type Place = { paywallId: string; host: string }

/** Why an owner, or a user, is not let in. */
export type OwnerRefusal = 'unknown_key' | 'unknown_paywall' | 'not_owner'
export type UserRefusal = 'unknown_user' | 'unknown_paywall'
export type GateRefusal = OwnerRefusal | UserRefusal

/**
 * The CTEs that every statement opens with: `caller`, `paywall`, and `granted`, which is the paywall's row if the caller
 * may act on it and is empty otherwise. Every effect of a statement selects from `granted`, so that a refused call
 * touches nothing. The token of an anonymous user who has since signed in as a known one lets nobody in.
 */
export function gate(caller: Caller, place: Place) {
  return caller.kind === 'owner'
    ? sql`
      caller as (select owner_id, is_test from api_keys where key_hash = ${caller.keyHash}::text and revoked_at is null),
      ${paywallAt(place)},
      granted as (select p.* from paywall p join caller c on (c.owner_id, c.is_test) = (p.owner_id, p.is_test))`
    : sql`
      caller as (
        select u.id as user_id from users u left join members m on (m.paywall_id, m.user_id) = (${place.paywallId}::text, u.id)
        where u.id = ${caller.userId}::uuid and m.merged_into is null
      ),
      ${paywallAt(place)},
      granted as (select p.* from paywall p, caller)`
}

/** The CTE `paywall`: on a paywall's own domain only that paywall is to be found. */
export function paywallAt({ paywallId, host }: Place) {
  return sql`paywall as (
    select p.* from paywalls p
    where p.id = ${paywallId}::text and ${servedAt(host, sql`p.id`)}
  )`
}

/** Whether a paywall is to be found at the host: not if that is another one's own domain. */
export function servedAt(host: string, paywallId: RawBuilder<unknown>) {
  return sql`not exists (select from paywalls other where other.domain = ${host}::text and other.id <> ${paywallId})`
}

/** The `case` arms that go with `gate`. A test key does not open a live paywall, nor a live key a test one. */
export function gateRefusals(caller: Caller) {
  return caller.kind === 'owner'
    ? sql`
      when not exists (select from caller) then 'unknown_key'
      when not exists (select from paywall) then 'unknown_paywall'
      when not exists (select from paywall join caller using (owner_id)) then 'not_owner'
      when not exists (select from granted) then 'unknown_key'`
    : sql`
      when not exists (select from caller) then 'unknown_user'
      when not exists (select from paywall) then 'unknown_paywall'`
}
