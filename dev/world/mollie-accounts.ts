import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import type { MollieAccount } from '../emulators/mollie/emulator.ts'

/** What the files say about Mollie: each paywall's credentials. Prices are none over there. */
export function mollieAccounts(files: PaywallFile[]): MollieAccount[] {
  return files.flatMap(({ paywalls }) =>
    paywalls.flatMap(({ id, processor }) =>
      processor.acquiring === 'mollie' ? [{ paywallId: id, ...processor.credentials }] : [],
    ),
  )
}
