import * as z from 'zod'

/** The values of `Locale2` in the SDK. */
const LOCALES = [
  ...[
    'ca_ES',
    'cs_CZ',
    'da_DK',
    'de_AT',
    'de_CH',
    'de_DE',
    'de_LU',
    'en_BE',
    'en_GB',
    'en_NL',
    'en_US',
    'es_ES',
    'fi_FI',
    'fr_BE',
  ],
  ...[
    'fr_FR',
    'fr_LU',
    'hu_HU',
    'is_IS',
    'it_IT',
    'lt_LT',
    'lv_LV',
    'nb_NO',
    'nl_BE',
    'nl_NL',
    'pl_PL',
    'pt_PT',
    'sk_SK',
    'sv_SE',
  ],
]

export const locale = z.enum(LOCALES, 'The locale is invalid')

/** The query parameters of lists. `from`: the id of the first row. */
export const PageQuery = z.strictObject({
  from: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(250).default(50),
})

const EMBEDDABLE = ['captures', 'refunds', 'chargebacks']

/** The query of a payment: `embed=refunds,chargebacks`. */
export const PaymentQuery = z.strictObject({
  embed: z
    .string()
    .default('')
    .transform((names) => names.split(',').filter((name) => name !== ''))
    .refine((names) => names.every((name) => EMBEDDABLE.includes(name)), 'The embed parameter is invalid'),
})
