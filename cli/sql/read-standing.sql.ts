import { sql } from 'kysely'
import type { Executor } from '../executor.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import type { EndpointRow } from './save-endpoints.sql.ts'
import type { KeyRow } from './save-keys.sql.ts'
import type { PaywallRow } from './save-paywalls.sql.ts'
import type { PriceRow } from './save-prices.sql.ts'

/** What the database says about a file's owner, and about what others have of the file. */
export interface Standing {
  owner_id: string | null
  keys: (KeyRow & { id: string; foreign: boolean; revoked: boolean })[]
  endpoints: (EndpointRow & { disabled: boolean })[]
  paywalls: StandingPaywall[]
}

export interface StandingPaywall extends PaywallRow {
  /** Of another owner. */
  foreign: boolean
  accounts: { acquiring: string; credentials: string }[]
  prices: (PriceRow & { retired: boolean })[]
}

/** Reads it all in one statement, so that it is of one instant. `keyHashes` are those of the file's keys. */
export async function readStanding(db: Executor, file: PaywallFile, keyHashes: string[]): Promise<Standing> {
  const ids = file.paywalls.map(({ id }) => id)
  const domains = file.paywalls.flatMap(({ domain }) => domain ?? [])
  const { rows } = await sql<Standing>`
    with owner as (select id from owners where email = ${file.owner.email}::text)
    select
      (select id from owner) as owner_id,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', key.id, 'name', key.name, 'key_hash', key.key_hash, 'is_test', key.is_test,
          'foreign', owner.id is null, 'revoked', key.revoked_at is not null
        ) order by key.created_at, key.id)
        from api_keys key left join owner on owner.id = key.owner_id
        where owner.id is not null or key.key_hash = any (${keyHashes}::text[])
      ), '[]') as keys,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'url', endpoint.url, 'secret', endpoint.secret, 'events', endpoint.events,
          'disabled', endpoint.disabled_at is not null
        ) order by endpoint.created_at, endpoint.id)
        from webhook_endpoints endpoint join owner on owner.id = endpoint.owner_id
      ), '[]') as endpoints,
      coalesce((
        select jsonb_agg(to_jsonb(paywall) || jsonb_build_object(
          'foreign', owner.id is null,
          'accounts', (
            select coalesce(jsonb_agg(to_jsonb(account)), '[]')
            from processor_accounts account where account.paywall_id = paywall.id
          ),
          'prices', (
            select coalesce(jsonb_agg(
              to_jsonb(price) || jsonb_build_object('retired', price.retired_at is not null) order by price.position
            ), '[]')
            from prices price where price.paywall_id = paywall.id
          )
        ) order by paywall.id)
        from paywalls paywall left join owner on owner.id = paywall.owner_id
        where owner.id is not null or paywall.id = any (${ids}::text[]) or paywall.domain = any (${domains}::text[])
      ), '[]') as paywalls`.execute(db)
  return rows[0]!
}
