import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { accountRecords } from './core/acts/account-records.ts'
import type { Account, Acts } from './core/acts/acts.ts'
import { EMULATORS, type Emulators } from './emulators.ts'

/** The acts in the account that a paywall sells through. */
export function actsFor(emulators: Emulators, paywall: FilePaywall): Acts {
  const { acquiring } = paywall.processor
  return EMULATORS[acquiring].acts(emulators[acquiring] as never, findAccount(emulators, paywall) as never)
}

/** The account that a paywall sells through. */
export function findAccount(emulators: Emulators, { id, processor }: FilePaywall): Account<ProcessorName> {
  const emulator = emulators[processor.acquiring]
  return {
    records: accountRecords(emulator, id),
    credentials: processor.credentials,
    now: () => emulator.currentTime(id),
  }
}
