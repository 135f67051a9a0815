import { seal } from '../../lib/crypto/crypto.ts'
import type { FilePaywall, PaywallFile } from '../paywall-file/file.ts'
import { comparePrices, type PriceRow } from './compare-prices.ts'
import { unsealOrNull } from './secrets.ts'
import { type Stored, type StoredPaywall, sameJson } from './stored.ts'

export interface PaywallsDifference {
  /** One sentence a change. */
  changes: string[]
  /** What the file may not say, with its path in the file. */
  errors: string[]
  /** Ids of paywalls that lose their domain before any is saved: another paywall of the file may take it. */
  domainsToRemove: string[]
  toSave: PaywallRow[]
  accountsToSave: ProcessorAccountRow[]
  /** Ids of prices. */
  pricesToRetire: string[]
  pricesToSave: PriceRow[]
}

/** A paywall without what is in other tables. */
export interface PaywallRow extends Omit<FilePaywall, 'processor' | 'prices'> {
  acquiring: string
}

export interface ProcessorAccountRow {
  paywall_id: string
  acquiring: string
  /** Sealed. */
  credentials: string
}

/** What makes the file's paywalls, their prices and accounts what the file says. `sealingKey` seals credentials. */
export async function comparePaywalls(
  file: PaywallFile,
  stored: Stored,
  sealingKey: string,
): Promise<PaywallsDifference> {
  const difference: PaywallsDifference = {
    changes: [],
    errors: [],
    domainsToRemove: [],
    toSave: [],
    accountsToSave: [],
    pricesToRetire: [],
    pricesToSave: [],
  }
  for (const [index, paywall] of file.paywalls.entries()) {
    const storedPaywall = stored.paywalls.find(({ id }) => id === paywall.id)
    difference.errors.push(...conflictsOf(paywall, file, stored).map((conflict) => `paywalls[${index}].${conflict}`))
    compareColumns(difference, paywall, storedPaywall)
    await compareAccount(difference, paywall, storedPaywall, sealingKey)
    const prices = comparePrices(paywall, storedPaywall)
    difference.changes.push(...prices.changes)
    difference.pricesToRetire.push(...prices.toRetire)
    difference.pricesToSave.push(...prices.toSave)
  }
  return difference
}

/** What of the paywall another paywall has, each with the member that says so. */
function conflictsOf({ id, domain }: FilePaywall, file: PaywallFile, { paywalls }: Stored): string[] {
  const conflicts: string[] = []
  if (paywalls.some((other) => other.id === id && other.foreign)) conflicts.push('id: is a paywall of another owner')
  const domainHolder = paywalls.find((other) => domain !== null && other.domain === domain && other.id !== id)
  if (domainHolder?.foreign) conflicts.push('domain: is taken by a paywall of another owner')
  else if (domainHolder && !file.paywalls.some((other) => other.id === domainHolder.id)) {
    conflicts.push(`domain: is taken by paywall ${domainHolder.id}, which is not in this file`)
  }
  return conflicts
}

function compareColumns(
  difference: PaywallsDifference,
  { processor, prices: _prices, ...columns }: FilePaywall,
  stored: StoredPaywall | undefined,
): void {
  const row: PaywallRow = { ...columns, acquiring: processor.acquiring }
  const names = Object.keys(row) as (keyof PaywallRow)[]
  const changes = stored ? names.filter((name) => !sameJson(row[name], stored[name])) : names
  if (changes.length === 0) return
  difference.changes.push(`paywall ${row.id}: ${stored ? `changes ${changes.join(', ')}` : `new, ${row.name}`}`)
  difference.toSave.push(row)
  if (stored?.domain && stored.domain !== row.domain) difference.domainsToRemove.push(row.id)
}

async function compareAccount(
  difference: PaywallsDifference,
  { id, processor: { acquiring, credentials } }: FilePaywall,
  stored: StoredPaywall | undefined,
  sealingKey: string,
): Promise<void> {
  const context = `processor:${id}:${acquiring}`
  const account = stored?.accounts.find((one) => one.acquiring === acquiring)
  const storedCredentials = account ? await unsealOrNull(account.credentials, sealingKey, context) : null
  if (storedCredentials !== null && sameJson(JSON.parse(storedCredentials), credentials)) return
  difference.changes.push(`paywall ${id}: ${account ? 'other' : 'new'} ${acquiring} credentials`)
  const sealed = await seal(JSON.stringify(credentials), sealingKey, context)
  difference.accountsToSave.push({ paywall_id: id, acquiring, credentials: sealed })
}
