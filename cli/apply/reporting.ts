// The currency and the exchange rates of the owner's figures: compares the file with the database, and saves the differences.
import type { Database } from '../database.ts'
import type { PaywallFile, Reporting } from '../paywall-file/file.ts'
import { type Change, toChange } from './changes.ts'
import { type StoredState, sameJson } from './stored.ts'

export interface ReportingDifference {
  changes: Change[]
  /** Null: nothing changes. */
  toSave: Reporting | null
}

export function compareReporting(
  { reporting }: PaywallFile,
  { reporting_currency, rates }: StoredState,
): ReportingDifference {
  const isSame = reporting.currency === reporting_currency && sameJson(inOrder(reporting.rates), inOrder(rates))
  if (isSame) return { changes: [], toSave: null }
  const { currency } = reporting
  const how = currency === null ? 'removed' : `figures in ${currency}, ${countRates(reporting)}`
  return { changes: [toChange('reporting', how)], toSave: reporting }
}

const countRates = ({ rates: { length } }: Reporting) => `${length} exchange ${length === 1 ? 'rate' : 'rates'}`

const inOrder = (rates: Reporting['rates']) => rates.toSorted((one, other) => (toText(one) < toText(other) ? -1 : 1))

const toText = ({ currency, valid_from }: Reporting['rates'][number]) => `${currency} ${valid_from}`

export async function saveReporting(db: Database, ownerId: string, reporting: Reporting | null): Promise<void> {
  if (!reporting) return
  const { currency, rates } = reporting
  await db.updateTable('owners').set({ reporting_currency: currency }).where('id', '=', ownerId).execute()
  await db.deleteFrom('exchange_rates').where('owner_id', '=', ownerId).execute()
  if (rates.length === 0) return
  await db
    .insertInto('exchange_rates')
    .values(rates.map((rate) => ({ ...rate, owner_id: ownerId })))
    .execute()
}
