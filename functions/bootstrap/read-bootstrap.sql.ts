import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { gate, gateRefusals, type Place, paywallAt, type UserRefusal } from '../../lib/db/gate.sql.ts'
import { type MemberRefusal, member, memberRefusals } from '../../lib/db/member.sql.ts'
import { memberState, memberStateColumns } from '../../lib/db/member-state.sql.ts'
import type { PaywallRow } from '../../lib/paywall/structure.ts'
import type { MemberState } from '../../lib/purchases/member-state.ts'

export type BootstrapRow = { verdict: 'unknown_paywall' } | { verdict: 'found'; paywall: PaywallRow }

export type BootstrapRefusal = UserRefusal | MemberRefusal

type BootstrapUser = { id: string; email: string | null; has_active_subscription: boolean }

export type UserBootstrapRow =
  | { verdict: BootstrapRefusal }
  | ({ verdict: 'found'; paywall: PaywallRow; user: BootstrapUser } & MemberState)

/** The public structure of a paywall. Names each column it serves, so that a secret can never slip in. */
export async function readBootstrap(db: Database, place: Place): Promise<BootstrapRow> {
  const { rows } = await sql<BootstrapRow>`
    with ${paywallAt(place)}
    select
      case when exists (select from paywall) then 'found' else 'unknown_paywall' end as verdict,
      ${structure} as paywall`.execute(db)
  return rows[0]!
}

/** The same, and what the user of a token has there. */
export async function readUserBootstrap(db: Database, userId: string, place: Place): Promise<UserBootstrapRow> {
  const caller = { kind: 'user', userId } as const
  const { rows } = await sql<UserBootstrapRow>`
    with ${gate(caller, place)}, ${member(caller, {})}, ${memberState}
    select
      case ${gateRefusals(caller)} ${memberRefusals} else 'found' end as verdict,
      ${structure} as paywall,
      (select jsonb_build_object('id', id, 'email', email, 'has_active_subscription', subscribed)
       from identity, standing) as user,
      ${memberStateColumns}`.execute(db)
  return rows[0]!
}

const structure = sql`(
  select jsonb_build_object(
    'id', p.id, 'name', p.name, 'settings', p.settings, 'geo', p.geo,
    'offers', p.offers, 'layout', p.layout, 'locales', p.locales,
    'prices', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', price.id, 'slug', price.slug, 'label', price.label, 'currency', price.currency, 'amount', price.amount,
        'interval', price.interval, 'interval_count', price.interval_count, 'trial_days', price.trial_days,
        'locals', price.locals
      ) order by price.position), '[]')
      from prices price where price.paywall_id = p.id and price.retired_at is null
    )
  ) from paywall p
)`
