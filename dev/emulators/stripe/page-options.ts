import * as z from 'zod'
import { TERMS } from '../core/controls/terms.ts'
import type { AccountContext } from '../core/domain/context.ts'
import type { PageRecord, SoldPrice, Terms } from '../core/domain/selling-records.ts'
import { boolean } from '../core/wire/form-fields.ts'
import { optional } from '../core/wire/json-fields.ts'
import { applyCoupon, discounts } from './coupons.ts'
import { refused } from './errors.ts'
import { productId } from './objects/selling.ts'
import { STRIPE_TAX, TERMS_OF_SERVICE } from './own.ts'

/*
 * The parameters of a checkout session that decide what its page shows and asks for: docs.stripe.com/api/checkout/sessions/create and
 * the types of the SDK.
 */

/** The values of `SessionCreateParams.Locale` in the SDK. */
const LOCALES = [
  ...[
    'auto',
    'bg',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'en-GB',
    'es',
    'es-419',
    'et',
    'fi',
    'fil',
    'fr',
    'fr-CA',
    'hi-IN',
    'hr',
    'hu',
  ],
  ...[
    'id',
    'it',
    'ja',
    'ko',
    'lt',
    'lv',
    'ms',
    'mt',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'ro',
    'ru',
    'sk',
    'sl',
    'sv',
    'th',
    'tr',
  ],
  ...['vi', 'zh', 'zh-HK', 'zh-TW'],
]

const setting = optional(z.strictObject({ enabled: boolean }))
const update = z.enum(['auto', 'never']).default('never')

export const pageParameters = {
  allow_promotion_codes: optional(boolean),
  discounts,
  automatic_tax: setting,
  consent_collection: optional(z.strictObject({ terms_of_service: z.enum(['none', 'required']) })),
  customer_update: optional(z.strictObject({ address: update, name: update })),
  invoice_creation: setting,
  locale: optional(z.enum(LOCALES)),
  payment_method_collection: optional(z.enum(['always', 'if_required'])),
  tax_id_collection: setting,
}

/** In `subscription_data`. */
export const trialSettings = optional(
  z.strictObject({
    end_behavior: z.strictObject({
      missing_payment_method: z.literal('cancel', 'the emulator cancels trials that end without a payment method'),
    }),
  }),
)

type Given = z.output<z.ZodObject<typeof pageParameters>> & {
  mode: PageRecord['mode']
  customer: string | null
  subscription_data: { trial_settings: z.output<typeof trialSettings> } | null
}

/** Throws Stripe's error for parameters that the session's mode, its customer or the account do not allow. */
export function refuseOptions(context: AccountContext, given: Given): void {
  const { mode, customer, customer_update: update } = given
  if (given.allow_promotion_codes !== null && given.discounts !== null) throw refused('codes_and_discounts')
  if (given.invoice_creation?.enabled && mode !== 'payment') throw refused('invoice_creation_in_subscription')
  if (given.payment_method_collection && mode !== 'subscription') throw refused('payment_method_collection_in_payment')
  if (given.payment_method_collection === 'if_required' && !given.subscription_data?.trial_settings) {
    throw refused('invalid', { message: 'the emulator requires trial_settings for a trial without a payment method' })
  }
  if (update && customer === null) throw refused('customer_update_without_customer')
  if (given.consent_collection?.terms_of_service === 'required' && TERMS_OF_SERVICE.read(context) === null) {
    throw refused('no_terms_of_service')
  }
  if (given.tax_id_collection?.enabled && customer !== null && update?.name !== 'auto')
    throw refused('tax_id_without_name')
  if (given.automatic_tax?.enabled) refuseTax(context, given)
}

/** A customer of the emulator never has an address from before. */
function refuseTax(context: AccountContext, { customer, customer_update: update }: Given): void {
  if (!STRIPE_TAX.read(context)) throw refused('no_head_office')
  if (customer !== null && update?.address !== 'auto') throw refused('customer_tax_location_invalid')
}

/** What the session's page asks the buyer for. */
export const pageAsks = (given: Given): PageRecord['asks'] => ({
  promotionCode: given.allow_promotion_codes ?? false,
  taxId: given.tax_id_collection?.enabled ?? false,
  consent: given.consent_collection?.terms_of_service === 'required',
  card: given.payment_method_collection !== 'if_required',
})

/** "Stripe Tax" is charged only if the session requests it. A session's own discount is its only one. */
export function pageTerms(context: AccountContext, given: Given, price: SoldPrice): Terms {
  const terms = TERMS.read(context)
  const taxed = given.automatic_tax?.enabled ? terms : { ...terms, taxPercent: 0 }
  return applyCoupon(context, taxed, given.discounts, { currency: price.currency, product: productId(price) })
}
