import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

export interface PaywallRow {
  id: string
  name: string
  is_test: boolean
  domain: string | null
  acquiring: string
  settings: unknown
  geo: unknown
  offers: unknown
  layout: unknown
  locales: unknown
}

/** Adds paywalls or changes them: how many it could. One that another owner has is not touched. */
export async function savePaywalls(db: Executor, ownerId: string, paywalls: PaywallRow[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into paywalls as paywall
      (id, owner_id, name, is_test, domain, acquiring, settings, geo, offers, layout, locales)
    select id, ${ownerId}::uuid, name, is_test, domain, acquiring, settings, geo, offers, layout, locales
    from jsonb_to_recordset(${JSON.stringify(paywalls)}::jsonb) as saved (
      id text, name text, is_test boolean, domain text, acquiring text,
      settings jsonb, geo jsonb, offers jsonb, layout jsonb, locales jsonb
    )
    order by id
    on conflict (id) do update set
      name = excluded.name, is_test = excluded.is_test, domain = excluded.domain, acquiring = excluded.acquiring,
      settings = excluded.settings, geo = excluded.geo, offers = excluded.offers, layout = excluded.layout,
      locales = excluded.locales
    where paywall.owner_id = excluded.owner_id`.execute(db)
  return Number(numAffectedRows)
}
