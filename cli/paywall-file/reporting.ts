import * as z from 'zod'
import { isDay } from '../../lib/figures/days.ts'
import { isCurrency } from '../../lib/money/money.ts'
import { checked, issueAt } from './checks.ts'

const currency = z.string().refine(isCurrency, 'not an ISO 4217 currency code').meta({ pattern: '^[A-Z]{3}$' })

const rateSchema = z.strictObject({
  from: z
    .string()
    .refine(isDay, 'must be a day such as 2026-11-03')
    .describe('The first day (UTC) on which it is valid'),
  currency: currency.describe('The currency that is converted'),
  rate: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal such as "0.92"')
    .refine((rate) => Number(rate) > 0, 'must be more than 0')
    .describe('How much one unit of it is in the currency of `reporting`, as decimal text'),
})

/** The currency in which the owner's figures are summed up. */
export const reportingSchema = checked(
  z.strictObject({
    currency: currency.describe('The currency into which figures are converted'),
    rates: z
      .array(rateSchema)
      .default([])
      .describe('Exchange rates, each valid until the next one of its currency. Days before the first have none'),
  }),
  2,
  checkRates,
)

interface WrittenReporting {
  currency: string
  rates: { from: string; currency: string }[]
}

function checkRates(reporting: WrittenReporting, context: z.RefinementCtx): void {
  const known = new Set<string>()
  for (const [index, rate] of reporting.rates.entries()) {
    const name = `${rate.currency} from ${rate.from}`
    if (rate.currency === reporting.currency) {
      issueAt(context, ['rates', index, 'currency'], `is the currency of reporting: its rate is always 1`)
    }
    if (known.has(name)) issueAt(context, ['rates', index], `there is another rate of ${name}`)
    known.add(name)
  }
}
