// The owner's paywalls: compares the file with the database, and saves the differences. Accounts, Turnstile keys, prices and offers have
// tables of their own: see accounts.ts, turnstile.ts, prices.ts and offers.ts.
import type { SealingKeys } from '../command.ts'
import { type Database, splitBatches } from '../database.ts'
import type { FilePaywall, PaywallFile } from '../paywall-file/file.ts'
import { type AccountRow, compareAccount } from './accounts.ts'
import { type Change, fieldsBetween, toChange, toDestructiveChange, toFieldChange } from './changes.ts'
import { compareOffers, type OfferKey, type OfferRow } from './offers.ts'
import { comparePrices, type PriceRow } from './prices.ts'
import { type StoredPaywall, type StoredState, sameJson } from './stored.ts'
import { compareTurnstile, type TurnstileRow } from './turnstile.ts'

export interface PaywallsDifference {
  changes: Change[]
  warnings: string[]
  /** Errors in the file, with their paths. */
  errors: string[]
  /** Ids of paywalls whose domain is removed before any is saved, because another paywall of the file may get it. */
  domainsToRemove: string[]
  toSave: PaywallRow[]
  accountsToSave: AccountRow[]
  turnstileToSave: TurnstileRow[]
  /** Ids of paywalls. */
  turnstileToRemove: string[]
  /** Ids of prices. */
  pricesToRetire: string[]
  pricesToSave: PriceRow[]
  offersToRetire: OfferKey[]
  offersToSave: OfferRow[]
}

/** A row of the table `paywalls`. */
interface PaywallRow extends Omit<FilePaywall, 'processor' | 'turnstile' | 'prices' | 'discounts'> {
  acquiring: string
}

/** The columns of a paywall that come from the file. */
type PaywallColumns = Omit<PaywallRow, 'id'> | StoredPaywall

/** Compares the stored paywalls, prices and accounts with the file's. `sealing` has the keys that encrypt its secrets. */
export async function comparePaywalls(
  file: PaywallFile,
  stored: StoredState,
  sealing: SealingKeys,
): Promise<PaywallsDifference> {
  const difference: PaywallsDifference = {
    changes: [],
    warnings: [],
    errors: [],
    domainsToRemove: [],
    toSave: [],
    accountsToSave: [],
    turnstileToSave: [],
    turnstileToRemove: [],
    pricesToRetire: [],
    pricesToSave: [],
    offersToRetire: [],
    offersToSave: [],
  }
  for (const [index, paywall] of file.paywalls.entries()) {
    const storedPaywall = stored.paywalls.find(({ id }) => id === paywall.id)
    difference.errors.push(...findConflicts(paywall, file, stored).map((conflict) => `paywalls[${index}].${conflict}`))
    compareColumns(difference, paywall, storedPaywall)
    const account = await compareAccount(paywall, storedPaywall, sealing.processorCredentialsKey)
    const turnstile = await compareTurnstile(paywall, storedPaywall, sealing.turnstileSecretsKey)
    const prices = comparePrices(paywall, storedPaywall)
    const offers = compareOffers(paywall, storedPaywall)
    difference.changes.push(...account.changes, ...turnstile.changes, ...prices.changes, ...offers.changes)
    difference.warnings.push(...prices.warnings)
    difference.accountsToSave.push(...account.toSave)
    difference.turnstileToSave.push(...turnstile.toSave)
    difference.turnstileToRemove.push(...turnstile.toRemove)
    difference.pricesToRetire.push(...prices.toRetire)
    difference.pricesToSave.push(...prices.toSave)
    difference.offersToRetire.push(...offers.toRetire)
    difference.offersToSave.push(...offers.toSave)
  }
  return difference
}

/** Conflicts of a paywall with the stored state, each with its field. */
function findConflicts({ id, domain, is_test }: FilePaywall, file: PaywallFile, { paywalls }: StoredState): string[] {
  const conflicts: string[] = []
  const stored = paywalls.find((other) => other.id === id)
  if (stored?.foreign) conflicts.push('id: belongs to another owner')
  else if (stored?.has_members && stored.is_test !== is_test) conflicts.push(`test: ${modeConflict(stored.is_test)}`)
  else if (stored?.clock_moved && !is_test)
    conflicts.push('test: its clock was moved, so it cannot become a live paywall')
  const domainHolder = paywalls.find((other) => domain !== null && other.domain === domain && other.id !== id)
  if (domainHolder?.foreign) conflicts.push('domain: is used by a paywall of another owner')
  else if (domainHolder && !file.paywalls.some((other) => other.id === domainHolder.id)) {
    conflicts.push(`domain: is used by paywall ${domainHolder.id}, which is not in this file`)
  }
  return conflicts
}

const modeConflict = (isTest: boolean) =>
  isTest
    ? 'this test paywall has users, so it cannot become live: add another paywall for live payments'
    : 'this live paywall has users, so it cannot become a test paywall: add another paywall for tests'

function compareColumns(
  difference: PaywallsDifference,
  { processor, turnstile: _turnstile, prices: _prices, discounts: _discounts, ...columns }: FilePaywall,
  stored: StoredPaywall | undefined,
): void {
  const row: PaywallRow = { ...columns, acquiring: processor.acquiring }
  const names = Object.keys(row) as (keyof PaywallRow)[]
  const changedNames = stored ? names.filter((name) => !sameJson(row[name], stored[name])) : names
  if (changedNames.length === 0) return
  difference.changes.push(...toChanges(row, stored))
  difference.toSave.push(row)
  if (stored?.domain && stored.domain !== row.domain) difference.domainsToRemove.push(row.id)
}

/** A change of domain or processor is destructive: it breaks existing links, or moves buyers to another processor. */
function toChanges(row: PaywallRow, stored: StoredPaywall | undefined): Change[] {
  const what = `paywall ${row.id}`
  if (!stored) return [toChange(what, `new, ${row.name}`)]
  const fields = fieldsBetween(asInFile(stored), asInFile(row))
  const isDestructive = ({ path, old }: { path: string; old: unknown }) =>
    path === 'processor.acquiring' || (path === 'domain' && old !== null)
  const destructive = fields.filter(isDestructive)
  const harmless = toFieldChange(
    what,
    fields.filter((field) => !isDestructive(field)),
  )
  return [
    ...(harmless ? [harmless] : []),
    ...destructive.map((field) => toDestructiveChange(what, null, { paywallId: row.id }, [field])),
  ]
}

/** The columns under the names of the file's fields. */
function asInFile({ name, is_test, domain, acquiring, settings, geo, offers, layout, locales }: PaywallColumns) {
  return { name, test: is_test, domain, settings, geo, processor: { acquiring }, offers, layout, locales }
}

export async function removeDomains(db: Database, paywallIds: string[]): Promise<void> {
  for (const ids of splitBatches(paywallIds, (id) => id)) {
    await db.updateTable('paywalls').set({ domain: null }).where('id', 'in', ids).execute()
  }
}

/** Adds or updates paywalls. One that belongs to another owner is skipped. Returns how many were added or changed. */
export async function savePaywalls(db: Database, ownerId: string, paywalls: PaywallRow[]): Promise<number> {
  let saved = 0
  for (const rows of splitBatches(paywalls, ({ id }) => id)) {
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
