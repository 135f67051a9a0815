// A paywall's prices: what differs between the file and the database, and how it is written.
import { sql } from 'kysely'
import { toMajorUnits } from '../../lib/money/money.ts'
import { batchesOf, type Database } from '../database.ts'
import type { FilePaywall, FilePrice } from '../paywall-file/file.ts'
import { type StoredPaywall, sameJson } from './stored.ts'

interface PricesDifference {
  /** One sentence a change. */
  changes: string[]
  /** Ids of the prices that go off sale. */
  toRetire: string[]
  toSave: PriceRow[]
}

export interface PriceRow extends FilePrice {
  /** Prices are shown in this order, from 0. */
  position: number
}

/** What makes the prices on sale at a paywall those of the file. */
export function comparePrices(paywall: FilePaywall, stored: StoredPaywall | undefined): PricesDifference {
  const storedPrices = stored?.prices ?? []
  const difference: PricesDifference = { changes: [], toRetire: [], toSave: [] }
  for (const [position, price] of paywall.prices.entries()) {
    const row = { ...price, position }
    const storedPrice = storedPrices.find(({ id }) => id === price.id)
    const change = changeOf(row, storedPrice)
    if (change === null) continue
    difference.changes.push(`paywall ${paywall.id}: price ${price.slug} ${change}`)
    difference.toSave.push(row)
  }
  const others = storedPrices.filter(({ id, retired }) => !retired && !paywall.prices.some((price) => price.id === id))
  difference.toRetire = others.map(({ id }) => id)
  difference.changes.push(...others.map(({ slug, id }) => `paywall ${paywall.id}: price ${slug} (${id}) is retired`))
  return difference
}

/** Null if nothing changes. What the id covers cannot differ: another amount is another price. */
function changeOf(price: PriceRow, stored: StoredPaywall['prices'][number] | undefined): string | null {
  if (!stored) return `is new: ${described(price)}`
  if (stored.retired) return `is on sale again: ${described(price)}`
  const changes = [
    stored.label !== price.label && `has the label ${price.label}`,
    !sameJson(stored.tokens, price.tokens) && 'has other tokens',
    !sameJson(stored.features, price.features) && `has the features ${price.features.join(', ')}`,
    stored.position !== price.position && `is number ${price.position + 1}`,
  ]
  return changes.filter((change) => change !== false).join(', ') || null
}

function described({ id, amount, currency, interval, interval_count, trial_days }: FilePrice): string {
  const rhythm = interval ? `every ${interval_count === 1 ? interval : `${interval_count} ${interval}s`}` : 'once'
  const trial = trial_days > 0 ? `, after ${trial_days} days of trial` : ''
  return `${toMajorUnits(amount, currency)} ${currency} ${rhythm}${trial} (${id})`
}

/** Takes prices off sale. What was bought at them stays as it is. */
export async function retirePrices(db: Database, priceIds: string[]): Promise<void> {
  for (const ids of batchesOf(priceIds, (id) => id)) {
    await db
      .updateTable('prices')
      .set({ retired_at: sql`now()` })
      .where('id', 'in', ids)
      .where('retired_at', 'is', null)
      .execute()
  }
}

/** Puts prices on sale. Of one that is there already only what its id does not cover can change. */
export async function savePrices(db: Database, prices: PriceRow[]): Promise<void> {
  for (const rows of batchesOf(prices, ({ id }) => id)) {
    await db
      .insertInto('prices')
      .values(
        rows.map(({ locals, tokens, ...row }) => ({
          ...row,
          locals: JSON.stringify(locals),
          tokens: JSON.stringify(tokens),
        })),
      )
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(({ ref }) => ({
          label: ref('excluded.label'),
          tokens: ref('excluded.tokens'),
          features: ref('excluded.features'),
          position: ref('excluded.position'),
          retired_at: null,
        })),
      )
      .execute()
  }
}
