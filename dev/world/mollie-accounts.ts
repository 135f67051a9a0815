import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import type { MollieAccount } from '../emulators/mollie/accounts.ts'

/** The Mollie accounts that the emulator is to have: each paywall's credentials. Mollie knows no prices. */
export function mollieAccounts(files: PaywallFile[]): MollieAccount[] {
  return files.flatMap(({ paywalls }) =>
    paywalls.flatMap(({ id, processor }) =>
      processor.acquiring === 'mollie' ? [{ paywallId: id, ...processor.credentials }] : [],
    ),
  )
}
