import type { AdapterOptions } from './adapter.ts'
import { CHARGEBEE } from './chargebee/definition.ts'
import { parseCredentials } from './credentials.ts'
import { FREEMIUS } from './freemius/definition.ts'
import { POLAR } from './polar/definition.ts'
import type { DiscountCheck } from './processor.ts'
import type { ProcessorName } from './processor-name.ts'
import { STRIPE } from './stripe/definition.ts'

/** Creates the check of an account's discounts, where the processor can be asked. Not in the adapters: no Worker needs it. */
export const DISCOUNT_CHECKS: {
  readonly [Name in ProcessorName]?: (credentials: unknown, options: AdapterOptions) => Promise<DiscountCheck>
} = {
  stripe: async (credentials, options) =>
    (await import('./stripe/coupon.ts')).couponCheck(parseCredentials(STRIPE, credentials), options),
  polar: async (credentials, options) =>
    (await import('./polar/discount.ts')).discountCheck(parseCredentials(POLAR, credentials), options),
  chargebee: async (credentials, options) =>
    (await import('./chargebee/coupon.ts')).couponCheck(parseCredentials(CHARGEBEE, credentials), options),
  freemius: async (credentials, options) =>
    (await import('./freemius/coupon.ts')).couponCheck(parseCredentials(FREEMIUS, credentials), options),
}
