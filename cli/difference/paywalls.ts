import { seal, unseal } from '../../lib/crypto/crypto.ts'
import type { FilePaywall, PaywallFile } from '../paywall-file/file.ts'
import type { Standing, StandingPaywall } from '../sql/read-standing.sql.ts'
import type { PaywallRow } from '../sql/save-paywalls.sql.ts'
import type { PriceRow } from '../sql/save-prices.sql.ts'
import type { ProcessorAccountRow } from '../sql/save-processor-accounts.sql.ts'
import { differenceOfPrices } from './prices.ts'
import { same } from './same.ts'

export interface PaywallsDifference {
  changes: string[]
  errors: string[]
  /** Ids of paywalls whose domain is to be taken off first. */
  freed: string[]
  saved: PaywallRow[]
  accounts: ProcessorAccountRow[]
  retired: string[]
  prices: PriceRow[]
}

/** What makes the file's paywalls, their prices and their processor accounts what the file says. `key` seals. */
export async function differenceOfPaywalls(
  file: PaywallFile,
  standing: Standing,
  key: string,
): Promise<PaywallsDifference> {
  const difference: PaywallsDifference = {
    changes: [],
    errors: [],
    freed: [],
    saved: [],
    accounts: [],
    retired: [],
    prices: [],
  }
  for (const [index, paywall] of file.paywalls.entries()) {
    const before = standing.paywalls.find(({ id }) => id === paywall.id)
    difference.errors.push(...conflicts(paywall, file, standing).map((conflict) => `paywalls[${index}].${conflict}`))
    compareRow(difference, paywall, before)
    await compareAccount(difference, paywall, before, key)
    const { changes, retired, saved } = differenceOfPrices(paywall, before)
    difference.changes.push(...changes)
    difference.retired.push(...retired)
    difference.prices.push(...saved)
  }
  return difference
}

/** What of the paywall is not this owner's to take. */
function conflicts({ id, domain }: FilePaywall, file: PaywallFile, { paywalls }: Standing): string[] {
  const found: string[] = []
  if (paywalls.some((other) => other.id === id && other.foreign)) found.push('id: is a paywall of another account')
  const holder = paywalls.find((other) => domain !== null && other.domain === domain && other.id !== id)
  if (holder?.foreign) found.push('domain: is taken by a paywall of another account')
  else if (holder && !file.paywalls.some((other) => other.id === holder.id)) {
    found.push(`domain: is taken by paywall ${holder.id}, which is not in this file`)
  }
  return found
}

function compareRow(difference: PaywallsDifference, paywall: FilePaywall, before: StandingPaywall | undefined): void {
  const { processor, prices: _prices, ...columns } = paywall
  const row: PaywallRow = { ...columns, acquiring: processor.acquiring }
  const changed = before ? columnsThatDiffer(row, before) : ['new']
  if (changed.length === 0) return
  difference.changes.push(`paywall ${row.id}: ${before ? `changes ${changed.join(', ')}` : `new, ${row.name}`}`)
  difference.saved.push(row)
  if (before?.domain && before.domain !== row.domain) difference.freed.push(row.id)
}

function columnsThatDiffer(row: PaywallRow, before: PaywallRow): string[] {
  const names = Object.keys(row) as (keyof PaywallRow)[]
  return names.filter((name) => !same(row[name], before[name]))
}

async function compareAccount(
  difference: PaywallsDifference,
  { id, processor }: FilePaywall,
  before: StandingPaywall | undefined,
  key: string,
): Promise<void> {
  const { acquiring } = processor
  const context = `processor:${id}:${acquiring}`
  const account = before?.accounts.find((known) => known.acquiring === acquiring)
  const opened = account && (await open(account.credentials, key, context))
  if (opened && same(opened.credentials, processor.credentials)) return
  difference.changes.push(`paywall ${id}: ${account ? 'other' : 'new'} ${acquiring} credentials`)
  const credentials = await seal(JSON.stringify(processor.credentials), key, context)
  difference.accounts.push({ paywall_id: id, acquiring, credentials })
}

/** Null if they were sealed with another key: then they have to be set anew. */
async function open(sealed: string, key: string, context: string): Promise<{ credentials: unknown } | null> {
  const text = await unseal(sealed, key, context).catch(() => null)
  return text === null ? null : { credentials: JSON.parse(text) }
}
