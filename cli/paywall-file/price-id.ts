import canonicalize from 'canonicalize'
import { hashOf } from '../../lib/crypto/canonical.ts'
import type { Interval } from '../../lib/processors/processor.ts'
import type { LocalPrice } from './price.ts'

/** What a buyer pays and gets, amounts in minor units. Label and tokens are left out: they do not change the sale. */
export interface Sale {
  paywall_id: string
  slug: string
  amount: number
  currency: string
  interval: Interval | null
  interval_count: number | null
  trial_days: number
  acquiring: string
  processor_price: string
  locals: LocalPrice[]
}

/** `price_` and 24 hex digits that change when, and only when, what is sold changes. */
export async function priceId(sale: Sale): Promise<string> {
  // The order of local prices, and of the countries of one, does not change what is sold.
  const locals = sale.locals.map((local) => canonicalize({ ...local, countries: local.countries?.toSorted() })).sort()
  const hash = await hashOf({ ...sale, locals })
  return `price_${hash.slice(0, 24)}`
}
