import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Caller, type GateRefusal, gate, gateRefusals, type Place } from '../../lib/db/gate.sql.ts'
import { type Identity, type MemberRefusal, member, memberRefusals } from '../../lib/db/member.sql.ts'
import { merged } from '../../lib/db/user-meta.sql.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'

export type FindRefusal = GateRefusal | MemberRefusal | 'no_subscription' | 'full_meta'

/** Who a member is at the processor that its subscription was bought at, and where the portal is to lead back to. */
export interface PortalCustomer {
  paywall_id: string
  acquiring: Acquiring
  credentials: string
  customer: string
  /** Addresses of the owner's own, the first to be preferred; an entry is null where the owner named none. */
  home_urls: (string | null)[]
}

export type FoundRow =
  | { verdict: Exclude<FindRefusal, 'no_subscription'> }
  | { verdict: 'no_subscription'; is_test: boolean }
  | { verdict: 'found'; is_test: boolean; customer: PortalCustomer }

/**
 * The customer behind a member's active subscription, the latest if there are several. The account is that of the
 * purchase, whatever the paywall sells through by now. `userMeta` is kept if there is one.
 */
export async function findPortalCustomer(
  db: Database,
  caller: Caller,
  place: Place,
  { userMeta, ...identity }: Identity & { userMeta: Record<string, unknown> },
): Promise<FoundRow> {
  const { meta, tooLarge } = merged(sql`m.meta`, userMeta)
  const { rows } = await sql<FoundRow>`
    with ${gate(caller, place)}, ${member(caller, identity)}, subscription as (
      select p.* from purchases p join member using (paywall_id, user_id)
      where p.interval is not null and is_paid(p) and p.processor_customer is not null
      order by p.created_at desc, p.id
      limit 1
    ), noted as (
      update members m set meta = ${meta} from subscription s
      where (m.paywall_id, m.user_id) = (s.paywall_id, s.user_id) and m.meta <> ${meta} and not ${tooLarge}
    )
    select
      case ${gateRefusals(caller)} ${caller.kind === 'owner' ? memberRefusals : sql``}
        when not exists (select from subscription) then 'no_subscription'
        when exists (select from member m where ${tooLarge}) then 'full_meta'
        else 'found'
      end as verdict,
      (select is_test from granted) as is_test,
      (select jsonb_build_object(
         'paywall_id', s.paywall_id, 'acquiring', s.acquiring, 'credentials', a.credentials,
         'customer', s.processor_customer, 'home_urls', jsonb_build_array(
           g.settings ->> 'success_redirect_url', g.settings ->> 'error_redirect_url', 'https://' || g.domain))
       from granted g, subscription s join processor_accounts a using (paywall_id, acquiring)) as customer`.execute(db)
  return rows[0]!
}
