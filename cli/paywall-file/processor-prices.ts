import type * as z from 'zod'
import { issueAt } from './checks.ts'
import type { WrittenPrice } from './price.ts'

interface Written {
  processor: { acquiring: string }
  prices: WrittenPrice[]
}

/** Refuses prices that the paywall's processor could not sell. */
export function checkProcessorPrices({ processor, prices }: Written, context: z.RefinementCtx): void {
  for (const [index, price] of prices.entries()) {
    const refuse = (path: PropertyKey[], message: string) => issueAt(context, ['prices', index, ...path], message)
    if (processor.acquiring === 'freemius') checkPricings(price, refuse)
    if (processor.acquiring === 'mollie') checkCharges(price, refuse)
  }
}

type Refuse = (path: PropertyKey[], message: string) => void

function checkPricings({ processorPrice, locals }: WrittenPrice, refuse: Refuse): void {
  const isPricing = (text: string) => /^\d+:\d+$/.test(text)
  const message = 'must be plan_id:pricing_id'
  if (!isPricing(processorPrice)) refuse(['processorPrice'], message)
  for (const [position, local] of locals.entries()) {
    if (!isPricing(local.processorPrice)) refuse(['locals', position, 'processorPrice'], message)
  }
}

/** How many of each are a year: the longest that Mollie waits between two charges. */
const MOLLIE_LONGEST = { day: 365, week: 52, month: 12, year: 1 }

function checkCharges({ interval, interval_count: count, amount, locals }: WrittenPrice, refuse: Refuse): void {
  if (interval && (count ?? 1) > MOLLIE_LONGEST[interval]) {
    refuse(['interval_count'], `Mollie charges once a year at least: ${MOLLIE_LONGEST[interval]} with ${interval}`)
  }
  const message = 'Mollie charges nothing less than the smallest coin'
  if (amount === 0) refuse(['amount'], message)
  for (const [position, local] of locals.entries()) {
    if (local.amount === 0) refuse(['locals', position, 'amount'], message)
  }
}
