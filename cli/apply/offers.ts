// A paywall's offers that take something off: compares the file with the database, and saves the differences.
import { sql } from 'kysely'
import { toMajorUnits } from '../../lib/money/money.ts'
import type { Discount } from '../../lib/processors/discount.ts'
import { type Database, splitBatches } from '../database.ts'
import type { FileOffer, FilePaywall } from '../paywall-file/file.ts'
import { type Change, fieldsBetween, toChange, toFieldChange } from './changes.ts'
import type { StoredPaywall } from './stored.ts'

export interface OfferKey {
  paywall_id: string
  id: string
}

export interface OfferRow extends FileOffer, OfferKey {
  /** The display order, from 0. */
  position: number
}

interface OffersDifference {
  changes: Change[]
  toRetire: OfferKey[]
  toSave: OfferRow[]
}

type StoredOffer = StoredPaywall['discounts'][number]

/** Compares a paywall's offers with the file's. */
export function compareOffers({ id: paywallId, discounts }: FilePaywall, stored?: StoredPaywall): OffersDifference {
  const known = stored?.discounts ?? []
  const difference: OffersDifference = { changes: [], toRetire: [], toSave: [] }
  for (const [position, offer] of discounts.entries()) {
    const row = { ...offer, paywall_id: paywallId, position }
    const what = `paywall ${paywallId}: offer ${offer.id}`
    const before = known.find(({ id }) => id === offer.id)
    const change = before
      ? toFieldChange(what, fieldsBetween(asInFile(before), asInFile(row)))
      : toChange(what, `new: ${describe(offer.discount)}`)
    if (change === null) continue
    difference.changes.push(change)
    difference.toSave.push(row)
  }
  for (const { id } of known.filter((offer) => !discounts.some(({ id }) => id === offer.id))) {
    difference.changes.push(toChange(`paywall ${paywallId}: offer ${id}`, 'removed'))
    difference.toRetire.push({ paywall_id: paywallId, id })
  }
  return difference
}

/** The fields of an offer under the names of the file's fields. */
function asInFile({ discount, max_uses, processor_discount, position, ...offer }: StoredOffer | OfferRow) {
  const { id, title, badge, prices, countries, code, show } = offer
  return {
    id,
    title,
    badge,
    discount: inMajorUnits(discount as Discount),
    prices,
    countries,
    starts_at: toUtc(offer.starts_at),
    ends_at: toUtc(offer.ends_at),
    max: max_uses,
    max_per_member: offer.max_per_member,
    code,
    show,
    processorDiscount: processor_discount,
    position: position + 1,
  }
}

const toUtc = (time: string | Date | null) => (time === null ? null : new Date(time).toISOString())

function inMajorUnits({ amount, currency, ...discount }: Discount): Discount {
  return amount === undefined || currency === undefined
    ? discount
    : { ...discount, amount: toMajorUnits(amount, currency), currency }
}

function describe(discount: Discount): string {
  const { percent, amount, currency, periods } = inMajorUnits(discount)
  const off = percent === undefined ? `${amount} ${currency} off` : `${percent} % off`
  if (periods === undefined) return off
  return `${off}, ${periods === 'forever' ? 'for ever' : `for ${periods} ${periods === 1 ? 'period' : 'periods'}`}`
}

/** Withdraws offers. Pages that are open keep them. */
export async function retireOffers(db: Database, ownerId: string, offers: OfferKey[]): Promise<void> {
  for (const { paywall_id, id } of offers) {
    await db
      .updateTable('offers')
      .set({ retired_at: sql`now()` })
      .where('owner_id', '=', ownerId)
      .where('paywall_id', '=', paywall_id)
      .where('id', '=', id)
      .execute()
  }
}

/**
 * Adds offers, changes them, or makes retired ones again. A code is given up before any is saved, because two offers of the file may have
 * swapped theirs.
 */
export async function saveOffers(db: Database, ownerId: string, offers: OfferRow[]): Promise<void> {
  for (const { paywall_id, id } of offers) {
    await db
      .updateTable('offers')
      .set({ code: null })
      .where('owner_id', '=', ownerId)
      .where('paywall_id', '=', paywall_id)
      .where('id', '=', id)
      .execute()
  }
  for (const rows of splitBatches(offers, ({ paywall_id, id }) => `${paywall_id} ${id}`)) {
    await db
      .insertInto('offers')
      .values(rows.map(({ discount, ...row }) => ({ ...row, owner_id: ownerId, discount: JSON.stringify(discount) })))
      .onConflict((conflict) =>
        conflict.columns(['owner_id', 'paywall_id', 'id']).doUpdateSet(({ ref }) => ({
          title: ref('excluded.title'),
          badge: ref('excluded.badge'),
          discount: ref('excluded.discount'),
          prices: ref('excluded.prices'),
          countries: ref('excluded.countries'),
          starts_at: ref('excluded.starts_at'),
          ends_at: ref('excluded.ends_at'),
          max_uses: ref('excluded.max_uses'),
          max_per_member: ref('excluded.max_per_member'),
          code: ref('excluded.code'),
          show: ref('excluded.show'),
          processor_discount: ref('excluded.processor_discount'),
          position: ref('excluded.position'),
          retired_at: null,
        })),
      )
      .execute()
  }
}
