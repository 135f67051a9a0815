import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Place, paywallAt } from '../../lib/db/gate.sql.ts'
import { CODE_MINUTES, CODES_AN_HOUR } from './sign-in-code.ts'

export type KeptRow =
  | { verdict: 'unknown_paywall' }
  /** `retry_after`: seconds until the address may have another code. */
  | { verdict: 'too_many_codes'; retry_after: number }
  | { verdict: 'kept'; paywall_name: string }

/**
 * Keeps a new code for an address, instead of the one before, with all its tries. The address's row also counts the
 * codes, so that of many calls at once no more than the limit are sent. Nothing here looks at whether there is such a user.
 */
export async function keepCode(db: Database, place: Place, email: string, codeHash: string): Promise<KeptRow> {
  const { rows } = await sql<KeptRow>`
    with ${paywallAt(place)}, kept as (
      insert into sign_in_codes as c (paywall_id, email, code_hash, expires_at, sent)
      select id, ${email}::text, ${codeHash}::text, now() + make_interval(mins => ${CODE_MINUTES}::int), array[now()]
      from paywall
      on conflict (paywall_id, email) do update set
        code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0,
        sent = ${lastHour(sql`c.sent`)} || excluded.sent
      where cardinality(${lastHour(sql`c.sent`)}) < ${CODES_AN_HOUR}::int
      returning email
    ), oldest as (
      select min(at) as at from sign_in_codes c join paywall p on p.id = c.paywall_id, unnest(${lastHour(sql`c.sent`)}) at
      where c.email = ${email}::text
    )
    select
      case when not exists (select from paywall) then 'unknown_paywall'
        when not exists (select from kept) then 'too_many_codes' else 'kept' end as verdict,
      (select name from paywall) as paywall_name,
      (select ceil(extract(epoch from coalesce(at, now()) + interval '1 hour' - now()))::int from oldest) as retry_after
    `.execute(db)
  return rows[0]!
}

const lastHour = (sent: ReturnType<typeof sql>) =>
  sql`array(select at from unnest(${sent}) at where at > now() - interval '1 hour')`
