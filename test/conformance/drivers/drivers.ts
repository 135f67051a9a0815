import type { FilePaywall } from '../../../cli/paywall-file/file.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { Acquiring } from '../../../lib/processors/acquiring.ts'
import { CHARGEBEE } from './chargebee.ts'
import type { Driver, There } from './driver.ts'
import { FREEMIUS } from './freemius.ts'
import { MOLLIE } from './mollie.ts'
import { POLAR } from './polar.ts'
import { recordsOf } from './records.ts'
import { STRIPE } from './stripe.ts'

/** How each processor is driven. Every case of the suite is run for all of them. */
const DRIVERS: { readonly [Name in Acquiring]: Driver<Name> } = {
  stripe: STRIPE,
  polar: POLAR,
  chargebee: CHARGEBEE,
  freemius: FREEMIUS,
  mollie: MOLLIE,
}

/** The driver of a processor, whichever it is. The types do not follow that what it is used with is of the same processor. */
export const driverOf = (acquiring: Acquiring) => DRIVERS[acquiring] as unknown as Driver

/** What can happen in the account that a paywall sells through. */
export function thereOf(emulators: Emulators, { id, processor: { acquiring, credentials } }: FilePaywall): There {
  const emulator = emulators[acquiring]
  const now = () => emulator.timeOf(id)
  const account = { records: recordsOf(emulator, id), credentials: credentials as never, now }
  return driverOf(acquiring).there(emulator as never, account)
}
