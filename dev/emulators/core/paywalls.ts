import type { FilePrice, PaywallFile } from '../../../cli/paywall-file/file.ts'
import { shift, toMajorUnits } from '../../../lib/money/money.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { AnyPaywall } from './domain/accounts.ts'
import type { SoldPrice } from './domain/selling-records.ts'

/** A paywall's credentials at a processor and its prices there, in the processor's units. */
export type SellerOf<Name extends ProcessorName> = Required<AnyPaywall> & Credentials<Name>

/** A price as its owner entered it at the processor. */
export interface EnteredPrice extends SoldPrice {
  /** 0: no trial. */
  trialDays: number
}

/** A processor's notation of prices. */
interface Notation {
  /** The number of decimals of an amount; without it amounts are as in the file. */
  currencyDecimals?(currency: string): number
  /** Whether currencies are in lower case. */
  lowerCase?: boolean
}

/** The paywalls in the files that sell through a processor, with their credentials. */
export function listPaywalls<Name extends ProcessorName>(
  files: PaywallFile[],
  acquiring: Name,
  notation: Notation = {},
) {
  const paywalls = files.flatMap((file) => file.paywalls)
  return paywalls.flatMap(({ id, name, processor, prices }) => {
    if (processor.acquiring !== acquiring) return []
    const credentials = processor.credentials as Credentials<Name>
    const entered = prices.flatMap((price) => enteredPrices(price, notation))
    return [{ paywallId: id, paywallName: name, prices: entered, ...credentials }]
  })
}

/** A price has one currency at a processor, so each local price is a separate price there. */
function enteredPrices(
  { label, interval, interval_count, trial_days, locals, ...price }: FilePrice,
  { currencyDecimals, lowerCase }: Notation,
): EnteredPrice[] {
  return [price, ...locals].map(({ processor_price, currency, amount }) => ({
    id: processor_price,
    label,
    interval,
    intervalCount: interval_count,
    trialDays: trial_days,
    currency: lowerCase ? currency.toLowerCase() : currency,
    amount: currencyDecimals ? shift(toMajorUnits(amount, currency), currencyDecimals(currency)) : amount,
  }))
}
