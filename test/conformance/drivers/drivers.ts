import { ACQUIRING, type Acquiring } from '../../../lib/processors/acquiring.ts'
import { CHARGEBEE } from './chargebee.ts'
import type { Driver } from './driver.ts'
import { MOLLIE } from './mollie.ts'
import { POLAR } from './polar.ts'
import { STRIPE } from './stripe.ts'

/** How each processor is driven. Every case of the suite is run for all of them. */
export const DRIVERS: { readonly [Name in Acquiring]?: Driver<Name> } = {
  stripe: STRIPE,
  polar: POLAR,
  chargebee: CHARGEBEE,
  mollie: MOLLIE,
}

export const DRIVEN = ACQUIRING.filter((acquiring) => DRIVERS[acquiring] !== undefined)
