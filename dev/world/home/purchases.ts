import type pg from 'pg'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import { PAGE_SIZE } from './lists.ts'

/** A purchase in home's list. */
export interface PurchaseRow {
  id: string
  paywallId: string
  userId: string
  /** The first that exists of: e-mail address, external id, the address that was paid with, user id. */
  user: string
  label: string
  acquiring: ProcessorName
  /** The processor's id of the purchase. */
  processorId: string
  status: PurchaseStatus
  /** Null: a one-time purchase. */
  interval: string | null
  /** In minor units. */
  amount: number
  currency: string
  periodEnd: Date | null
  cancelAtPeriodEnd: boolean
  /** Whether any payment of it succeeded. */
  isPaid: boolean
  /** Whether a payment of it was refunded, at least in part. */
  isRefunded: boolean
  isDisputed: boolean
}

const NAME = 'coalesce(u.email, u.external_id, p.buyer_email, u.id::text)'

const READ = `
  select p.id, p.paywall_id as "paywallId", p.user_id as "userId", ${NAME} as "user", r.label,
    p.acquiring, p.processor_id as "processorId", p.status, p.interval, p.unit_amount::float8 as amount, p.currency,
    p.current_period_end as "periodEnd", p.cancel_at_period_end as "cancelAtPeriodEnd",
    exists (select from payments m where m.purchase_id = p.id and m.kind = 'succeeded') as "isPaid",
    exists (select from payments m where m.purchase_id = p.id and m.kind = 'refunded') as "isRefunded",
    exists (select from payments m where m.purchase_id = p.id and m.kind = 'disputed') as "isDisputed"
  from purchases p join users u on u.id = p.user_id join prices r on r.id = p.price_id`

/** Searches a paywall's purchases by the buyer's name and the processor's id. */
const FOUND = `p.paywall_id = $1 and ($2 = '' or strpos(lower(${NAME} || ' ' || p.processor_id), lower($2)) > 0)`

/** Counts the purchases of a paywall that match a text; an empty text matches all. */
export async function countPurchases(database: pg.Pool, paywallId: string, text: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from purchases p join users u on u.id = p.user_id where ${FOUND}`,
    [paywallId, text],
  )
  return rows[0]?.count ?? 0
}

/** A page of these purchases, newest first. */
export async function findPurchases(
  database: pg.Pool,
  paywallId: string,
  text: string,
  offset: number,
): Promise<PurchaseRow[]> {
  const page = `${READ} where ${FOUND} order by p.created_at desc, p.id limit ${PAGE_SIZE} offset $3`
  const { rows } = await database.query<PurchaseRow>(page, [paywallId, text, offset])
  return rows
}

export async function readPurchase(database: pg.Pool, id: string): Promise<PurchaseRow | null> {
  const { rows } = await database.query<PurchaseRow>(`${READ} where p.id::text = $1`, [id])
  return rows[0] ?? null
}
