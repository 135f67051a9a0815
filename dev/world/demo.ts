// The demo can sell through any processor: it is demo/paywall.json with the account and prices of that processor.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { discountProblems, isDiscountOffer, type WrittenOffer } from '../../cli/paywall-file/offers.ts'
import type { WrittenPrice } from '../../cli/paywall-file/price.ts'
import { sellingProblems } from '../../cli/paywall-file/sellable.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { EMULATORS } from '../emulators/emulators.ts'
import { demoAccount } from './secrets.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The paywall file that `npm run dev` serves by default. */
export const DEMO = join(ROOT, 'demo/paywall.json')

/** The ports in the demo's paywall file, which receive its events: the webhook receiver and the shop. */
export const DEMO_PORTS = { receiver: 8790, shop: 8795 }

/** The text of the demo's paywall file with other ports. */
export function demoWithPorts(ports: typeof DEMO_PORTS, text: string): string {
  const origin = (port: number) => `"http://127.0.0.1:${port}/`
  return text
    .replaceAll(origin(DEMO_PORTS.receiver), origin(ports.receiver))
    .replaceAll(origin(DEMO_PORTS.shop), origin(ports.shop))
}

/** How long the demo's offer is still open when it is served, in days. */
const OFFER_DAYS = 9

/** The text of the demo's paywall file with an offer that ends in some days, so that the page shows how many are left. */
export function demoWithOpenOffer(text: string, now = new Date()): string {
  const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + OFFER_DAYS))
  return text.replace(/("ends_at": ?)"[^"]*"/, `$1"${end.toISOString()}"`)
}

/** The fields of the demo's file that are read here. The others are kept unchanged. */
interface WrittenDemo {
  paywalls: { name: string; prices: DemoPrice[]; offers: WrittenOffer[] }[]
}
type Sold = { currency: string; amount: number; processorPrice: string; tier?: number }
type DemoPrice = Sold &
  Pick<WrittenPrice, 'slug' | 'label' | 'interval' | 'interval_count'> & { trial_days?: number; locals?: Sold[] }

/**
 * Writes the demo's paywall file for another processor into `folder`. Returns its path and, as readable sentences, what differs:
 * local prices that the processor cannot sell, and offers that it cannot take off, are left out.
 */
export function writeDemo(folder: string, acquiring: ProcessorName): { path: string; differences: string[] } {
  const path = join(folder, `demo-${acquiring}.json`)
  const { file, differences } = demoThrough(acquiring)
  const schema = { $schema: relative(folder, join(ROOT, 'paywall.schema.json')) }
  writeFileSync(path, `${JSON.stringify({ ...file, ...schema }, null, 2)}\n`)
  return { path, differences }
}

/** The demo's paywall file with the account and the prices of a processor. */
export function demoThrough(acquiring: ProcessorName): { file: WrittenDemo; differences: string[] } {
  const written = JSON.parse(readFileSync(DEMO, 'utf8')) as WrittenDemo
  const differences: string[] = []
  const paywalls = written.paywalls.map((paywall) => {
    const prices = paywall.prices.map((price) => {
      const sold = toPriceAt(acquiring, paywall.name, price)
      differences.push(...sold.differences)
      return sold.price
    })
    const offers = paywall.offers.flatMap((offer) => {
      const given = toOfferAt(acquiring, offer, paywall.prices)
      differences.push(...given.differences)
      return given.offers
    })
    return { ...paywall, processor: demoAccount(acquiring), prices, offers }
  })
  return { file: { ...written, paywalls }, differences }
}

/** An offer, with a discount of the processor's own if it has any; none if the processor cannot take it off. */
function toOfferAt(
  acquiring: ProcessorName,
  offer: WrittenOffer,
  prices: DemoPrice[],
): { offers: WrittenOffer[]; differences: string[] } {
  if (!isDiscountOffer(offer)) return { offers: [offer], differences: [] }
  const { processorDiscount = offer.id, ...others } = offer
  const hasDiscounts = typeof DEFINITIONS[acquiring].discounts?.processorDiscount === 'string'
  const sold = hasDiscounts
    ? { ...others, processorDiscount: EMULATORS[acquiring].demoDiscount(processorDiscount) }
    : others
  const problems = discountProblems(acquiring, sold, prices)
  return {
    offers: problems.length === 0 ? [sold] : [],
    differences: problems.map(({ message }) => `the offer "${offer.title}" is omitted: ${message}`),
  }
}

/** A price with the processor's price ids, without the local prices that the processor cannot sell. */
function toPriceAt(acquiring: ProcessorName, seller: string, written: DemoPrice) {
  const price = withProcessorPrices(acquiring, seller, written)
  const { locals } = price
  const problems = sellingProblems(acquiring, { ...price, locals: locals ?? [] })
  const unsold = problems.filter(({ path: [list] }) => list === 'locals')
  const isSold = (index: number) => !unsold.some(({ path }) => path[1] === index)
  return {
    price: { ...price, ...(locals && { locals: locals.filter((_, index) => isSold(index)) }) },
    differences: [
      ...unsold.map(({ message }) => `a local price of "${price.label}" is omitted: ${message}`),
      ...trialDifference(acquiring, price),
    ],
  }
}

function withProcessorPrices(acquiring: ProcessorName, seller: string, price: DemoPrice): DemoPrice {
  const withProcessorPrice = <Each extends Sold>(sold: Each): Each => {
    const name = demoPriceName(price.slug, sold)
    return { ...sold, processorPrice: EMULATORS[acquiring].demoPrice(name, `${seller}, ${price.label}`) }
  }
  return { ...withProcessorPrice(price), ...(price.locals && { locals: price.locals.map(withProcessorPrice) }) }
}

function trialDifference(acquiring: ProcessorName, { label, trial_days }: DemoPrice): string[] {
  const { title, capabilities } = DEFINITIONS[acquiring]
  if (!trial_days || capabilities.trialLength === 'any') return []
  return [`the trial of "${label}" is set on the product at ${title}: ${trial_days} days at its emulator`]
}

/** A price's name, the same at every processor: `monthly_usd_tier2`. */
const demoPriceName = (slug: string, { currency, tier }: Sold) =>
  [slug, currency.toLowerCase(), ...(tier === undefined ? [] : [`tier${tier}`])].join('_')
