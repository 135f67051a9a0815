import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { PaywallRow, ProcessorAccountRow } from './compare-paywalls.ts'
import type { PriceRow } from './compare-prices.ts'

/** A statement has 65,535 parameters at most, a price 13. */
const ROWS_PER_STATEMENT = 1_000

/** Takes paywalls' domains off. */
export async function removeDomains(db: Database, paywallIds: string[]): Promise<void> {
  for (const ids of slicesOf(paywallIds)) {
    await db.updateTable('paywalls').set({ domain: null }).where('id', 'in', ids).execute()
  }
}

/** Adds paywalls or changes them; one that another owner has is not touched. Returns how many were added or changed. */
export async function savePaywalls(db: Database, ownerId: string, paywalls: PaywallRow[]): Promise<number> {
  let saved = 0
  for (const rows of slicesOf(inOrder(paywalls, ({ id }) => id))) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('paywalls')
      .values(
        rows.map(({ settings, geo, offers, layout, locales, ...row }) => ({
          ...row,
          owner_id: ownerId,
          settings: JSON.stringify(settings),
          geo: JSON.stringify(geo),
          offers: JSON.stringify(offers),
          layout: JSON.stringify(layout),
          locales: JSON.stringify(locales),
        })),
      )
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ ref }) => ({
            name: ref('excluded.name'),
            is_test: ref('excluded.is_test'),
            domain: ref('excluded.domain'),
            acquiring: ref('excluded.acquiring'),
            settings: ref('excluded.settings'),
            geo: ref('excluded.geo'),
            offers: ref('excluded.offers'),
            layout: ref('excluded.layout'),
            locales: ref('excluded.locales'),
          }))
          .whereRef('paywalls.owner_id', '=', 'excluded.owner_id'),
      )
      .executeTakeFirstOrThrow()
    saved += Number(numInsertedOrUpdatedRows)
  }
  return saved
}

/** Adds accounts or changes their credentials. Accounts at other processors stay: purchases made there live on. */
export async function saveAccounts(db: Database, accounts: ProcessorAccountRow[]): Promise<void> {
  for (const rows of slicesOf(inOrder(accounts, ({ paywall_id }) => paywall_id))) {
    await db
      .insertInto('processor_accounts')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['paywall_id', 'acquiring'])
          .doUpdateSet(({ ref }) => ({ credentials: ref('excluded.credentials') })),
      )
      .execute()
  }
}

/** Takes prices off sale. What was bought at them stays as it is. */
export async function retirePrices(db: Database, priceIds: string[]): Promise<void> {
  for (const ids of slicesOf(priceIds)) {
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
  for (const rows of slicesOf(inOrder(prices, ({ id }) => id))) {
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
          position: ref('excluded.position'),
          retired_at: null,
        })),
      )
      .execute()
  }
}

/** Rows are locked in this order: two applies that write the same rows wait for each other instead of deadlocking. */
function inOrder<Row>(rows: Row[], keyOf: (row: Row) => string): Row[] {
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

function* slicesOf<Row>(rows: Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT)
  }
}
