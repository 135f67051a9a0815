import { toMajorUnits } from '../../lib/money/money.ts'
import type { FilePaywall, FilePrice } from '../paywall-file/file.ts'
import type { StandingPaywall } from '../sql/read-standing.sql.ts'
import type { PriceRow } from '../sql/save-prices.sql.ts'
import { same } from './same.ts'

export interface PricesDifference {
  changes: string[]
  /** Ids that go off sale. */
  retired: string[]
  saved: PriceRow[]
}

/** What makes the prices on sale at a paywall those of the file. */
export function differenceOfPrices(paywall: FilePaywall, before: StandingPaywall | undefined): PricesDifference {
  const known = before?.prices ?? []
  const difference: PricesDifference = { changes: [], retired: [], saved: [] }
  for (const [position, price] of paywall.prices.entries()) {
    const change = changeOf(
      price,
      position,
      known.find(({ id }) => id === price.id),
    )
    if (!change) continue
    difference.changes.push(`paywall ${paywall.id}: price ${price.slug} ${change}`)
    difference.saved.push({ ...price, position })
  }
  const gone = known.filter(({ id, retired }) => !retired && !paywall.prices.some((price) => price.id === id))
  difference.retired = gone.map(({ id }) => id)
  difference.changes.push(...gone.map(({ slug, id }) => `paywall ${paywall.id}: price ${slug} (${id}) is retired`))
  return difference
}

function changeOf(price: FilePrice, position: number, before: (PriceRow & { retired: boolean }) | undefined) {
  if (!before) return `is new: ${described(price)}`
  if (before.retired) return `is on sale again: ${described(price)}`
  const changed = [
    before.label !== price.label && `has the label ${price.label}`,
    !same(before.tokens, price.tokens) && 'has other tokens',
    before.position !== position && `is number ${position + 1}`,
  ]
  return changed.filter((change) => change !== false).join(', ')
}

function described({ id, amount, currency, interval, interval_count, trial_days }: FilePrice): string {
  const rhythm = interval ? `every ${interval_count === 1 ? interval : `${interval_count} ${interval}s`}` : 'once'
  const trial = trial_days > 0 ? `, after ${trial_days} days of trial` : ''
  return `${toMajorUnits(amount, currency)} ${currency} ${rhythm}${trial} (${id})`
}
