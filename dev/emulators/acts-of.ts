import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'
import { recordsOf } from './core/acts/account-records.ts'
import type { Account, Acts } from './core/acts/acts.ts'
import { EMULATORS, type Emulators } from './emulators.ts'

/** What can happen in the account that a paywall sells through. */
export function actsOf(emulators: Emulators, paywall: FilePaywall): Acts {
  const { acquiring } = paywall.processor
  return EMULATORS[acquiring].acts(emulators[acquiring] as never, accountOf(emulators, paywall) as never)
}

/** The account that a paywall sells through. */
export function accountOf(emulators: Emulators, { id, processor }: FilePaywall): Account<Acquiring> {
  const emulator = emulators[processor.acquiring]
  return { records: recordsOf(emulator, id), credentials: processor.credentials, now: () => emulator.timeOf(id) }
}
