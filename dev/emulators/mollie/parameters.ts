import * as z from 'zod'

export const locale = z.string().regex(/^[a-z]{2}_[A-Z]{2}$/, 'The locale is invalid')

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
