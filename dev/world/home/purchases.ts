import type pg from 'pg'
import type { Acquiring } from '../../../lib/processors/acquiring.ts'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'

/** A purchase as home shows it. */
export interface PurchaseRow {
  id: string
  paywallId: string
  userId: string
  /** The user's e-mail address, or else the id. */
  user: string
  label: string
  acquiring: Acquiring
  /** What the processor knows it by. */
  processorId: string
  status: PurchaseStatus
  /** Null: it is paid once. */
  interval: string | null
  /** In minor units. */
  amount: number
  currency: string
  periodEnd: Date | null
  cancelAtPeriodEnd: boolean
  /** Whether a payment of it went through. */
  isPaid: boolean
}

const SHOWN = 30

const READ = `
  select p.id, p.paywall_id as "paywallId", p.user_id as "userId", coalesce(u.email, u.external_id, u.id::text) as "user", r.label,
    p.acquiring, p.processor_id as "processorId", p.status, p.interval, p.unit_amount::float8 as amount, p.currency,
    p.current_period_end as "periodEnd", p.cancel_at_period_end as "cancelAtPeriodEnd",
    exists (select from payments m where m.purchase_id = p.id and m.kind = 'succeeded') as "isPaid"
  from purchases p join users u on u.id = p.user_id join prices r on r.id = p.price_id`

/** A paywall's latest purchases, the latest first. */
export async function readPurchases(database: pg.Pool, paywallId: string): Promise<PurchaseRow[]> {
  const latest = `${READ} where p.paywall_id = $1 order by p.created_at desc, p.id limit ${SHOWN}`
  const { rows } = await database.query<PurchaseRow>(latest, [paywallId])
  return rows
}

/** One purchase; null if there is none of that id. */
export async function readPurchase(database: pg.Pool, id: string): Promise<PurchaseRow | null> {
  const { rows } = await database.query<PurchaseRow>(`${READ} where p.id::text = $1`, [id])
  return rows[0] ?? null
}
