import type { FilePaywall } from '../../../cli/paywall-file/file.ts'
import { actsFor, findAccount } from '../../../dev/emulators/acts-for.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import { CHARGEBEE } from './chargebee.ts'
import type { AccountControls, Driver } from './driver.ts'
import { FREEMIUS } from './freemius.ts'
import { MOLLIE } from './mollie.ts'
import { POLAR } from './polar.ts'
import { STRIPE } from './stripe.ts'

/** The driver of each processor. */
const DRIVERS: { readonly [Name in ProcessorName]: Driver<Name> } = {
  stripe: STRIPE,
  polar: POLAR,
  chargebee: CHARGEBEE,
  freemius: FREEMIUS,
  mollie: MOLLIE,
}

/** The driver of any processor. TypeScript cannot infer that its arguments belong to the same processor. */
export const getDriver = (acquiring: ProcessorName) => DRIVERS[acquiring] as unknown as Driver

/** What can happen in the account that a paywall sells through, and what was sold there. */
export function getAccountControls(emulators: Emulators, paywall: FilePaywall): AccountControls {
  const { acquiring } = paywall.processor
  const account = findAccount(emulators, paywall) as never
  return {
    ...actsFor(emulators, paywall),
    ...getDriver(acquiring).accountReader(emulators[acquiring] as never, account),
  }
}
