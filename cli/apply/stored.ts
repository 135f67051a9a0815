import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { TeamRole } from '../../lib/auth/team-roles.ts'
import { unseal } from '../../lib/crypto/seal.ts'
import type { Database } from '../database.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import type { LocalPrice } from '../paywall-file/price.ts'

/** The stored state of a file's owner, and rows of other owners that conflict with the file: those are `foreign`. */
export type StoredState = Awaited<ReturnType<typeof readStored>>
export type StoredKey = StoredState['keys'][number]
export type StoredWebhook = StoredState['webhooks'][number]
export type StoredPaywall = StoredState['paywalls'][number]

/**
 * Reads everything in one statement, so that it is of one snapshot. `keyHashes` come from `hashKeys`. `owner_id` is null if the owner is
 * new.
 */
export async function readStored(
  db: Database,
  { owner: { email }, paywalls }: Pick<PaywallFile, 'owner' | 'paywalls'>,
  keyHashes: (string | null)[],
) {
  const hashes = keyHashes.filter((hash) => hash !== null)
  const ids = paywalls.map(({ id }) => id)
  const domains = paywalls.flatMap(({ domain }) => domain ?? [])
  return db
    .selectNoFrom([
      db.selectFrom('owners').select('id').where('email', '=', email).as('owner_id'),
      db.selectFrom('owners').select('reporting_currency').where('email', '=', email).as('reporting_currency'),
      jsonArrayFrom(selectRates(db, email)).as('rates'),
      jsonArrayFrom(selectTeam(db, email)).as('team'),
      jsonArrayFrom(selectKeys(db, email, hashes)).as('keys'),
      jsonArrayFrom(selectWebhooks(db, email)).as('webhooks'),
      jsonArrayFrom(selectPaywalls(db, email, ids, domains)).as('paywalls'),
    ])
    .executeTakeFirstOrThrow()
}

function selectTeam(db: Database, email: string) {
  return db
    .selectFrom('team_members')
    .innerJoin('owners', 'owners.id', 'team_members.owner_id')
    .select(({ ref }) => ['team_members.email', ref('role').$castTo<TeamRole>().as('role')])
    .where('owners.email', '=', email)
    .orderBy('team_members.email')
}

function selectRates(db: Database, email: string) {
  return db
    .selectFrom('exchange_rates')
    .innerJoin('owners', 'owners.id', 'exchange_rates.owner_id')
    .select(['currency', sql<string>`valid_from::text`.as('valid_from'), sql<string>`rate::text`.as('rate')])
    .where('owners.email', '=', email)
}

function selectKeys(db: Database, email: string, keyHashes: string[]) {
  return db
    .selectFrom('api_keys')
    .innerJoin('owners', 'owners.id', 'api_keys.owner_id')
    .select(({ eb }) => [
      'api_keys.id',
      'name',
      'key_hash',
      'is_test',
      eb('owners.email', '!=', email).as('foreign'),
      eb('revoked_at', 'is not', null).as('revoked'),
    ])
    .where(({ eb, or }) => or([eb('owners.email', '=', email), eb('key_hash', '=', anyOf(keyHashes))]))
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id')
}

function selectWebhooks(db: Database, email: string) {
  return db
    .selectFrom('webhook_endpoints')
    .innerJoin('owners', 'owners.id', 'webhook_endpoints.owner_id')
    .select(({ eb }) => [
      'url',
      'is_test',
      'secret',
      'is_secret_generated',
      'events',
      eb('disabled_at', 'is not', null).as('disabled'),
    ])
    .where('owners.email', '=', email)
    .orderBy('webhook_endpoints.created_at')
    .orderBy('webhook_endpoints.id')
}

function selectPaywalls(db: Database, email: string, ids: string[], domains: string[]) {
  return db
    .selectFrom('paywalls')
    .innerJoin('owners', 'owners.id', 'paywalls.owner_id')
    .select(['paywalls.id', 'name', 'is_test', 'domain', 'acquiring'])
    .select(['settings', 'geo', 'offers', 'layout', 'locales'])
    .select(({ eb, exists, selectFrom }) => [
      eb('owners.email', '!=', email).as('foreign'),
      eb('clock_offset', '!=', sql<never>`'0'`).as('clock_moved'),
      exists(selectFrom('members').select('user_id').whereRef('paywall_id', '=', 'paywalls.id')).as('has_members'),
      jsonArrayFrom(
        selectFrom('processor_accounts')
          .select(['acquiring', 'credentials'])
          .whereRef('paywall_id', '=', 'paywalls.id'),
      ).as('accounts'),
      jsonArrayFrom(
        selectFrom('turnstile_keys').select(['site_key', 'secret_key']).whereRef('paywall_id', '=', 'paywalls.id'),
      ).as('turnstile'),
      jsonArrayFrom(
        selectFrom('offers')
          .select(['id', 'title', 'badge', 'discount', 'prices', 'countries', 'max_uses', 'code', 'show', 'position'])
          .select(['processor_discount', 'starts_at', 'ends_at', 'max_per_member'])
          .whereRef('offers.owner_id', '=', 'paywalls.owner_id')
          .whereRef('paywall_id', '=', 'paywalls.id')
          .where('retired_at', 'is', null)
          .orderBy('position'),
      ).as('discounts'),
      jsonArrayFrom(
        selectFrom('prices')
          .select(['id', 'slug', 'label', 'currency', 'amount', 'interval', 'interval_count', 'trial_days'])
          .select(['processor_price', 'tokens', 'features', 'access', 'per_unit', 'position'])
          .select((price) => price.ref('locals').$castTo<LocalPrice[]>().as('locals'))
          .select((price) => price('retired_at', 'is not', null).as('retired'))
          .whereRef('paywall_id', '=', 'paywalls.id')
          .orderBy('position'),
      ).as('prices'),
    ])
    .where(({ eb, or }) =>
      or([eb('owners.email', '=', email), eb('paywalls.id', '=', anyOf(ids)), eb('domain', '=', anyOf(domains))]),
    )
    .orderBy('paywalls.id')
}

/** To use with `=`. Unlike `in`, it allows an empty list. */
const anyOf = (values: string[]) => sql<string>`any(${values}::text[])`

/** Compares a value of the file with one of the database, ignoring the order of fields, which jsonb does not keep. */
export function sameJson(one: unknown, other: unknown): boolean {
  return canonicalize(one) === canonicalize(other)
}

/** Decrypts a secret; null if no key decrypts it, in which case it has to be set again. */
export async function unsealOrNull(sealed: string, keys: string, context: string): Promise<string | null> {
  return unseal(sealed, keys, context).catch(() => null)
}
