import canonicalize from 'canonicalize'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
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
  const locals = sale.locals.map((local) => canonicalJson({ ...local, countries: local.countries?.toSorted() })).sort()
  const digest = await sha256Hex(canonicalJson({ ...sale, locals }))
  return `price_${digest.slice(0, 24)}`
}

function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not a JSON value')
  return text
}
