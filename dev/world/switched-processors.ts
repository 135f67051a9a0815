import { unsealOrNull } from '../../cli/apply/stored.ts'
import { withClient } from '../../cli/database.ts'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import { accountContext } from '../../lib/processors/account.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'

// A paywall that changes its processor keeps its account at the previous one, where its purchases continue. The previous emulator
// must therefore know an account that no file names any longer.

/** A file's paywalls that sell through another processor in the current files. */
export function onlySwitched(file: PaywallFile, now: PaywallFile[]): PaywallFile {
  const sellers = new Map(now.flatMap(({ paywalls }) => paywalls.map(({ id, processor }) => [id, processor.acquiring])))
  const isSwitched = ({ id, processor }: FilePaywall) => sellers.has(id) && sellers.get(id) !== processor.acquiring
  return { ...file, webhooks: [], paywalls: file.paywalls.filter(isSwitched) }
}

interface AccountRow {
  paywall_id: string
  acquiring: ProcessorName
  credentials: string
}

/**
 * The files' paywalls with the other accounts that the database has for them. Accounts whose credentials the key cannot unseal are
 * left out: the Workers cannot use them either.
 */
export async function withStoredAccounts(
  files: PaywallFile[],
  databaseUrl: string,
  key: string,
): Promise<PaywallFile[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<AccountRow>('select paywall_id, acquiring, credentials from processor_accounts'),
  )
  const storedAccounts = async (paywall: FilePaywall) => {
    const others = rows.filter((row) => row.paywall_id === paywall.id && row.acquiring !== paywall.processor.acquiring)
    return (await Promise.all(others.map((row) => paywallWithAccount(paywall, row, key)))).flat()
  }
  return Promise.all(
    files.map(async (file) => ({ ...file, paywalls: (await Promise.all(file.paywalls.map(storedAccounts))).flat() })),
  )
}

async function paywallWithAccount(paywall: FilePaywall, row: AccountRow, key: string): Promise<FilePaywall[]> {
  const context = accountContext({ paywallId: row.paywall_id, acquiring: row.acquiring })
  const credentials = await unsealOrNull(row.credentials, key, context)
  if (credentials === null) return []
  return [{ ...paywall, processor: { acquiring: row.acquiring, credentials: JSON.parse(credentials) }, prices: [] }]
}
