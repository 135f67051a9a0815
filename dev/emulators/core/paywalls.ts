import type { FileOffer, FilePrice, PaywallFile } from '../../../cli/paywall-file/file.ts'
import { shift, toMajorUnits } from '../../../lib/money/money.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import type { Discount } from '../../../lib/processors/discount.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { AnyPaywall, EnteredDiscount } from './domain/accounts.ts'
import type { SoldPrice } from './domain/selling-records.ts'

/** A paywall's credentials at a processor and its prices there, in the processor's units. */
export type SellerOf<Name extends ProcessorName> = Required<Omit<AnyPaywall, 'discounts'>> &
  Pick<AnyPaywall, 'discounts'> &
  Credentials<Name>

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
  return paywalls.flatMap(({ id, name, processor, prices, discounts }) => {
    if (processor.acquiring !== acquiring) return []
    const credentials = processor.credentials as Credentials<Name>
    const entered = prices.flatMap((price) => enteredPrices(price, notation))
    const made = discounts.flatMap((offer) => enteredDiscount(offer, prices, notation))
    const seller = { paywallId: id, paywallName: name, prices: entered, ...credentials }
    return [made.length === 0 ? seller : { ...seller, discounts: made }]
  })
}

function enteredDiscount(
  { processor_discount: id, title, show, prices: slugs, discount }: FileOffer,
  prices: FilePrice[],
  notation: Notation,
): EnteredDiscount[] {
  const price = prices.find(({ slug }) => slugs.includes(slug))
  if (id === null || !price) return []
  const { percent = null, amount = null, currency = null, periods } = discount
  return [
    {
      id,
      title,
      isToStay: show === 'cancel',
      percent,
      amount: amount === null || currency === null ? null : toProcessorUnits(amount, currency, notation),
      currency: currency === null ? null : toProcessorCode(currency, notation),
      lasts: lasting(periods, price),
    },
  ]
}

function lasting(
  periods: Discount['periods'],
  { interval, interval_count: count }: FilePrice,
): EnteredDiscount['lasts'] {
  if (periods === 'forever') return 'forever'
  return periods === undefined || interval === null ? 'once' : { periods, interval, intervalCount: count ?? 1 }
}

const toProcessorUnits = (amount: number, currency: string, { currencyDecimals }: Notation) =>
  currencyDecimals ? shift(toMajorUnits(amount, currency), currencyDecimals(currency)) : amount

const toProcessorCode = (currency: string, { lowerCase }: Notation) => (lowerCase ? currency.toLowerCase() : currency)

/** A price has one currency at a processor, so each local price is a separate price there. */
function enteredPrices(
  { label, interval, interval_count, trial_days, locals, ...price }: FilePrice,
  notation: Notation,
): EnteredPrice[] {
  return [price, ...locals].map(({ processor_price, currency, amount }) => ({
    id: processor_price,
    label,
    interval,
    intervalCount: interval_count,
    trialDays: trial_days,
    currency: toProcessorCode(currency, notation),
    amount: toProcessorUnits(amount, currency, notation),
  }))
}
