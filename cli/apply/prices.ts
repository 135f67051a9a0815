// A paywall's prices: compares the file with the database, and saves the differences.
import { sql } from 'kysely'
import { toMajorUnits } from '../../lib/money/money.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { type Database, splitBatches } from '../database.ts'
import type { FilePaywall, FilePrice } from '../paywall-file/file.ts'
import { type Change, fieldsBetween, toChange, toDestructiveChange, toFieldChange } from './changes.ts'
import type { StoredPaywall } from './stored.ts'

interface PricesDifference {
  changes: Change[]
  warnings: string[]
  /** Ids of the prices to retire. */
  toRetire: string[]
  toSave: PriceRow[]
}

export interface PriceRow extends FilePrice {
  /** The display order, from 0. */
  position: number
}

type StoredPrice = StoredPaywall['prices'][number]

/** Compares a paywall's prices on sale with the file's. */
export function comparePrices(
  { id: paywallId, prices, processor: { acquiring } }: FilePaywall,
  stored?: StoredPaywall,
): PricesDifference {
  const storedPrices = stored?.prices ?? []
  const onSale = storedPrices.filter(({ retired }) => !retired)
  const difference: PricesDifference = { changes: [], warnings: [], toRetire: [], toSave: [] }
  for (const [position, price] of prices.entries()) {
    const row = { ...price, position }
    const what = `paywall ${paywallId}: price ${price.slug}`
    const before = onSale.find(({ slug }) => slug === price.slug)
    const isKnown = storedPrices.some(({ id }) => id === price.id)
    const change = before ? changeFrom(before, row, what, paywallId) : toChange(what, describeNew(price, isKnown))
    if (change === null) continue
    difference.changes.push(change)
    difference.toSave.push(row)
    if (before && stored?.acquiring === acquiring)
      difference.warnings.push(...amountWarnings(before, price, what, acquiring))
  }
  difference.toRetire = onSale.flatMap(({ id }) => (prices.some((price) => price.id === id) ? [] : [id]))
  const gone = onSale.filter(({ slug }) => !prices.some((price) => price.slug === slug))
  const retirements = gone.map(({ id, slug }) =>
    toDestructiveChange(`paywall ${paywallId}: price ${slug}`, `${id} is retired`, { paywallId, priceId: id }),
  )
  difference.changes.push(...retirements)
  return difference
}

/** Null if nothing changes. A change of what the id covers creates a new price and retires the old one. */
function changeFrom(before: StoredPrice, price: PriceRow, what: string, paywallId: string): Change | null {
  const edits = fieldsBetween(mutableFields(before), mutableFields(price))
  if (before.id === price.id) return toFieldChange(what, edits)
  const how = `${before.id} is retired, ${price.id} on sale`
  return toDestructiveChange(what, how, { paywallId, priceId: before.id }, [
    ...fieldsBetween(toSale(before), toSale(price)),
    ...edits,
  ])
}

/** Warns of an amount that was edited without the processor's price: the processor still charges the old amount. */
function amountWarnings(before: StoredPrice, price: FilePrice, what: string, acquiring: ProcessorName): string[] {
  const { title, capabilities } = DEFINITIONS[acquiring]
  if (capabilities.chargedAmount === 'of the paywall file') return []
  const known = [before, ...before.locals]
  return [price, ...price.locals].flatMap(({ processor_price, currency, amount }) => {
    const old = known.find((each) => each.processor_price === processor_price && each.currency === currency)
    if (!old || Number(old.amount) === amount) return []
    const amounts = [Number(old.amount), amount].map((each) => `${toMajorUnits(each, currency)} ${currency}`)
    return [
      `${what}: the amount changes from ${amounts.join(' to ')}, but processorPrice is still ${processor_price}. ` +
        `${title} charges the amount that its own price has: create another price there and enter its id`,
    ]
  })
}

/** The fields that the id does not cover, under the names of the file's fields. */
const mutableFields = ({ label, tokens, features, access, per_unit, position }: StoredPrice | PriceRow) => ({
  label,
  tokens,
  features,
  access,
  per_unit,
  position: position + 1,
})

/** The fields that the id covers, under the names of the file's fields. */
function toSale({ amount, currency, processor_price, locals, ...price }: StoredPrice | PriceRow) {
  const { interval, interval_count, trial_days } = price
  return {
    currency,
    amount: toMajorUnits(Number(amount), currency),
    interval,
    interval_count,
    trial_days,
    processorPrice: processor_price,
    locals: locals.map(({ amount, processor_price, ...local }) => ({
      ...local,
      amount: toMajorUnits(amount, local.currency),
      processorPrice: processor_price,
    })),
  }
}

function describeNew({ id, amount, currency, ...price }: FilePrice, isKnown: boolean): string {
  const { interval, interval_count, trial_days } = price
  const rhythm = interval ? `every ${interval_count === 1 ? interval : `${interval_count} ${interval}s`}` : 'once'
  const trial = trial_days > 0 ? `, after a ${trial_days}-day trial` : ''
  const sale = `${toMajorUnits(amount, currency)} ${currency} ${rhythm}${trial} (${id})`
  return `${isKnown ? 'on sale again' : 'new'}: ${sale}`
}

/** Retires prices. Existing purchases are not affected. */
export async function retirePrices(db: Database, priceIds: string[]): Promise<void> {
  for (const ids of splitBatches(priceIds, (id) => id)) {
    await db
      .updateTable('prices')
      .set({ retired_at: sql`now()` })
      .where('id', 'in', ids)
      .where('retired_at', 'is', null)
      .execute()
  }
}

/** Adds prices or puts them back on sale. Updates only the fields that the id does not cover. */
export async function savePrices(db: Database, prices: PriceRow[]): Promise<void> {
  for (const rows of splitBatches(prices, ({ id }) => id)) {
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
          access: ref('excluded.access'),
          per_unit: ref('excluded.per_unit'),
          position: ref('excluded.position'),
          retired_at: null,
        })),
      )
      .execute()
  }
}

/** Makes the reconcile cron poll subscriptions that match no price: one in the file may match them now. */
export async function syncUnmatched(db: Database, ownerId: string): Promise<void> {
  await db
    .updateTable('purchases')
    .set({ reconcile_at: sql`now()` })
    .where('paywall_id', 'in', (paywalls) =>
      paywalls.selectFrom('paywalls').select('id').where('owner_id', '=', ownerId),
    )
    .where('unmatched_from', 'is not', null)
    .where('status', '!=', 'canceled')
    .execute()
}
