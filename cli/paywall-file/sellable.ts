// Checks that the paywall's processor can sell its prices.
import type * as z from 'zod'
import { isCurrency, shift, toMinorUnits } from '../../lib/money/money.ts'
import type { OfferedPrice, PriceProblem, ProcessorDefinition } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { issueAt } from './checks.ts'
import type { WrittenPrice } from './price.ts'

interface Problem {
  /** The field's path, relative to the price. */
  path: PropertyKey[]
  message: string
}

/** The parts of a price that its processor needs. */
type SoldPrice = Sold & Partial<Pick<WrittenPrice, 'interval' | 'interval_count' | 'trial_days'>> & { locals: Sold[] }
type Sold = Pick<WrittenPrice, 'currency' | 'amount' | 'processorPrice'>

/** Rejects prices that the paywall's processor cannot sell. */
export function checkSellable(
  { processor, prices }: { processor: { acquiring: ProcessorName }; prices: WrittenPrice[] },
  context: z.RefinementCtx,
): void {
  const { title, capabilities } = DEFINITIONS[processor.acquiring]
  for (const [index, price] of prices.entries()) {
    for (const { path, message } of sellingProblems(processor.acquiring, price)) {
      issueAt(context, ['prices', index, ...path], message)
    }
    if (price.per_unit && !capabilities.sellsUnits) {
      issueAt(context, ['prices', index, 'per_unit'], `${title} cannot sell several units of a price (sellsUnits)`)
    }
  }
  for (const { index, path, message } of catalogueProblems(processor.acquiring, prices)) {
    issueAt(context, ['prices', index, ...path], message)
  }
}

/** Errors of prices in combination. Prices that are invalid by themselves are left out. */
function catalogueProblems(acquiring: ProcessorName, prices: WrittenPrice[]): (Problem & { index: number })[] {
  const offered = prices.flatMap((price, index) => {
    const terms = offeredPrice(price)
    return terms ? [{ index, terms }] : []
  })
  const problems = DEFINITIONS[acquiring].catalogueProblems?.(offered.map(({ terms }) => terms)) ?? []
  return offered.flatMap(({ index }, position) =>
    (problems[position] ?? []).map((problem) => ({ index, path: pathTo(problem), message: problem.message })),
  )
}

const pathTo = ({ local, field }: PriceProblem): PropertyKey[] => (local === null ? [field] : ['locals', local, field])

/** Why a processor cannot sell a price; empty if it can. */
export function sellingProblems(acquiring: ProcessorName, price: SoldPrice): Problem[] {
  const definition = DEFINITIONS[acquiring]
  return [...currencyProblems(definition, price), ...otherProblems(definition, price)]
}

/** The price and its local prices, with their paths. */
const listVariants = (price: SoldPrice) => [
  { local: null, path: [] as PropertyKey[], sold: price },
  ...price.locals.map((sold, local) => ({ local, path: ['locals', local] as PropertyKey[], sold })),
]

function currencyProblems(definition: ProcessorDefinition, price: SoldPrice): Problem[] {
  return listVariants(price).flatMap(({ path, sold }) => {
    const problem = currencyProblem(definition, sold)
    return problem ? [{ path: [...path, problem.field], message: problem.message }] : []
  })
}

function currencyProblem(
  { title, currencies, decimals }: ProcessorDefinition,
  { currency, amount }: { currency: string; amount: number },
): { field: 'currency' | 'amount'; message: string } | null {
  if (!isCurrency(currency)) return null
  if (!currencies.has(currency)) return { field: 'currency', message: `${title} does not support ${currency}` }
  const maxDecimals = decimals[currency]
  if (maxDecimals === undefined || Number.isInteger(shift(amount, maxDecimals))) return null
  const how = maxDecimals === 0 ? 'without decimals' : `with ${maxDecimals} decimals at most`
  return { field: 'amount', message: `${title} charges ${currency} ${how}` }
}

/** Other errors of a price; none while an amount does not fit its currency, which is reported already. */
function otherProblems(definition: ProcessorDefinition, price: SoldPrice): Problem[] {
  const offered = offeredPrice(price)
  if (!offered) return []
  return definition.priceProblems(offered).map((problem) => ({ path: pathTo(problem), message: problem.message }))
}

function offeredPrice(price: SoldPrice): OfferedPrice | null {
  try {
    return {
      interval: price.interval ?? null,
      intervalCount: price.interval_count ?? 1,
      trialDays: price.trial_days ?? 0,
      variants: listVariants(price).map(({ local, sold: { processorPrice, currency, amount } }) => ({
        local,
        processorPrice,
        currency,
        amount: toMinorUnits(amount, currency),
      })),
    }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
